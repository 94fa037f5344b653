/** State and trie at old heights, kept open for the next question about them. */
import { HistoricalTrieNodes } from './historical-trie-nodes.ts'
import { HistoricalState } from './history.ts'
import type { KeyValueStore } from './store.ts'

interface OpenHeight {
  readonly state: HistoricalState
  readonly nodes: HistoricalTrieNodes
}

/**
 * Keeps at most `limit` heights open: the one that was opened first is closed for a new one. Close it before the store.
 */
export class OpenHeights {
  readonly #store: KeyValueStore
  readonly #committedHeight: () => number
  readonly #limit: number
  readonly #open = new Map<number, OpenHeight>()

  /** `committedHeight`: see HistoricalState. */
  constructor(store: KeyValueStore, committedHeight: () => number, limit: number) {
    this.#store = store
    this.#committedHeight = committedHeight
    this.#limit = limit
  }

  stateAt(height: number): HistoricalState {
    return this.#at(height).state
  }

  trieNodesAt(height: number): HistoricalTrieNodes {
    return this.#at(height).nodes
  }

  /**
   * Closes the cursors and keeps what was read. A cursor holds on to the files and buffers that the database had when
   * it was opened: one that nobody reads through keeps them for ever.
   */
  rest(): void {
    for (const { state, nodes } of this.#open.values()) {
      state.close()
      nodes.close()
    }
  }

  close(): void {
    for (const height of [...this.#open.keys()]) this.#close(height)
  }

  #at(height: number): OpenHeight {
    const open = this.#open.get(height)
    if (open !== undefined) return open
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= this.#limit) this.#close(oldest)
    const state = new HistoricalState(this.#store, height, this.#committedHeight)
    const nodes = new HistoricalTrieNodes(this.#store, height, this.#committedHeight, state)
    const opened = { state, nodes }
    this.#open.set(height, opened)
    return opened
  }

  #close(height: number): void {
    const open = this.#open.get(height)
    open?.state.close()
    open?.nodes.close()
    this.#open.delete(height)
  }
}

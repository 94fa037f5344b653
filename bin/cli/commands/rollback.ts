/** `chain rollback`: takes application and CometBFT of a stopped home back to an earlier height. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  abandonRollback,
  beginRollback,
  finishRollback,
  planRollback,
  type RollbackPlan,
} from '../../../app/rollback.ts'
import type { CodedError } from '../../../core/errors.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError, errorText } from '../../errors.ts'
import { openStore, withDatabase } from '../../node/open-database.ts'
import { findCometbft } from '../../node/supervise/cometbft-binary.ts'

export interface RollbackOptions {
  readonly home: Home
  /** One height when left out. */
  readonly height?: number
  /** Removes the blocks above the height from CometBFT as well. */
  readonly hard: boolean
  /** CometBFT has another home, and is rolled back there. */
  readonly applicationOnly: boolean
  say(line: string): void
}

/** Opening two databases of CometBFT. */
const COMETBFT_TIMEOUT_MS = 60_000

/** Runs `cometbft rollback` once; the height of its state after that. */
const runOnce = async (binary: string, home: Home, hard: boolean): Promise<number> => {
  const args = ['rollback', '--home', home.root, ...(hard ? ['--hard'] : [])]
  try {
    const { stdout } = await promisify(execFile)(binary, args, { timeout: COMETBFT_TIMEOUT_MS })
    const height = /to height ([0-9]+) /.exec(stdout)?.[1]
    if (height === undefined) throw cliError('cometbft', `it said: ${stdout.trim()}`)
    return Number(height)
  } catch (error) {
    throw cliError('cometbft', `"cometbft ${args.join(' ')}" failed: ${errorText(error)}`)
  }
}

/**
 * Its state lies at its newest block or one below. A run without --hard brings it to one below, from either, and so
 * tells where that block is; doing it again changes nothing. From there each run with --hard takes one block away.
 */
class CometbftRollback {
  readonly #home: Home
  readonly #target: number
  /** Blocks are gone: there is no way back. */
  begun = false

  constructor(home: Home, target: number) {
    this.#home = home
    this.#target = target
  }

  /** Returns the newest block that is left. */
  async run(hard: boolean): Promise<number> {
    const binary = await findCometbft()
    let newest = (await runOnce(binary, this.#home, false)) + 1
    const wanted = hard ? this.#target : this.#target + 1
    if (newest < wanted || (newest > wanted && !hard)) throw this.#refusal(newest, wanted)
    while (newest > wanted) {
      newest = await runOnce(binary, this.#home, true)
      this.begun = true
    }
    return newest
  }

  #refusal(newest: number, wanted: number): CodedError {
    const remedy =
      newest < wanted
        ? `it is behind: name a height up to ${newest}, with --hard`
        : `it was killed before the application had executed that block: start the node, stop it, and try again, or give --hard --height ${this.#target}, which removes the blocks above`
    return cliError('rollback', `the newest block of CometBFT is ${newest}, not ${wanted}; ${remedy}`)
  }
}

/** The height that the validator of this home has signed last; `head` where there is no file that says so. */
const readSignedHeight = (path: string, head: number): number => {
  try {
    const { height } = JSON.parse(readFileSync(path, 'utf8')) as { readonly height?: unknown }
    return Math.max(head, Number(height) || 0)
  } catch {
    return head
  }
}

/** Snapshots of heights that are no more: what comes at those heights now may be something else. */
const removeSnapshotsAbove = (folder: string, target: number): void => {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const height = Number(/^([0-9]+)-[0-9]+$/.exec(name)?.[1] ?? 0)
    if (height > target) rmSync(join(folder, name), { recursive: true })
  }
}

const rollbackBlocks = async (store: KeyValueStore, plan: RollbackPlan, options: RollbackOptions): Promise<void> => {
  const cometbft = new CometbftRollback(options.home, plan.target)
  try {
    const newest = await cometbft.run(options.hard)
    options.say(`CometBFT: rolled back to height ${plan.target}, its newest block is ${newest}`)
  } catch (error) {
    if (!cometbft.begun && !plan.resumed) abandonRollback(store)
    throw error
  }
}

/** Throws app/12, rollback/1 and cli/14 with the data untouched; app/13 and cli/8 leave a mark to run it again. */
export const rollbackCommand = async (options: RollbackOptions): Promise<void> => {
  const { home, height, hard, applicationOnly, say } = options
  await withDatabase(
    home,
    async (store) => {
      const plan = planRollback(store, height)
      const { head, target } = plan
      if (!hard && !applicationOnly && target < head - 1) {
        throw cliError('rollback', `more than one height (from ${head} to ${target}) needs --hard: it removes blocks`)
      }
      if (!applicationOnly && !existsSync(join(home.data, 'blockstore.db'))) {
        throw cliError(
          'rollback',
          `${home.data} holds no blocks of CometBFT: use --application-only, and roll it back there`,
        )
      }
      beginRollback(store, plan)
      // First, for it can still refuse, and then nothing has happened yet.
      if (!applicationOnly) await rollbackBlocks(store, plan, options)
      const { values, nodes } = finishRollback(store, plan)
      removeSnapshotsAbove(home.snapshots, target)
      say(`application: height ${target}, ${values} values and ${nodes} trie nodes put back, state root right`)
      if (hard) {
        const signed = readSignedHeight(home.validatorState, head)
        say(`a validator signs again above height ${signed} only: ${home.validatorState} remembers what it has signed`)
      }
    },
    openStore,
  )
}

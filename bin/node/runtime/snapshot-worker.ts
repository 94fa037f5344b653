/** One worker thread: reads a pinned view of the database into the files of a snapshot. */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { describeBlock } from '../../../app/snapshot-block.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import type { Cursor } from '../../../store/store.ts'
import { errorText } from '../../errors.ts'
import { writeSnapshot } from './snapshot-files.ts'
import { GATE, type SnapshotMessage, type SnapshotRequest, type SnapshotWorkerData } from './snapshots.ts'

const { handle, folder, gate } = workerData as SnapshotWorkerData
const state = new Int32Array(gate)

/** Blocks come first. Linux has priorities by thread; elsewhere the thread competes as any other. */
const yieldToOthers = (): void => {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // No such file, or not allowed: then so be it.
  }
}

yieldToOthers()
const store = await attachRocksStore(handle)
const say = (message: SnapshotMessage): void => parentPort?.postMessage(message)
let stopping = false
let making: Promise<void> = Promise.resolve()

/** The thread listens between the chunks: a stopping node does not wait for the rest. */
const pause = async (): Promise<void> => {
  await nextTurn()
  if (stopping) throw new RangeError('the node is stopping')
}

const make = async (height: number): Promise<void> => {
  const cursors: Cursor[] = []
  const started = performance.now()
  try {
    const code = store.cursor('code')
    cursors.push(code)
    const flat = store.cursor('state')
    cursors.push(flat)
    const inTime = Atomics.compareExchange(state, 0, GATE.waiting, GATE.open) === GATE.waiting
    Atomics.notify(state, 0)
    // The writer went on: these cursors may show a later height.
    if (!inTime) return say({ failed: '', height })
    const block = describeBlock(store, height)
    const made = await writeSnapshot({ folder, code, state: flat, block, onChunk: pause })
    say({ made, seconds: (performance.now() - started) / 1_000 })
  } catch (error) {
    say({ failed: stopping ? '' : errorText(error), height })
  } finally {
    for (const cursor of cursors) cursor.close()
  }
}

const stop = async (): Promise<void> => {
  stopping = true
  await making
  store.close()
  parentPort?.close()
}

parentPort?.on('message', (request: SnapshotRequest) => {
  if (request === 'stop') void stop()
  else making = make(request.height)
})
say('ready')

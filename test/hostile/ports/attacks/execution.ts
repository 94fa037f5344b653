/** Calls, estimates, traces and simulations that take as long as they may, many at once; and long searches. */
import { type Assault, type Attack, isOver, leftMs, scaled } from '../attack.ts'
import { HASH, LOOP, MEMORY, MODEXP } from '../programs.ts'
import { connectTo, flood, rawPost, rpcText, untilDrained } from '../wire.ts'

const CALLED = '0x00000000000000000000000000000000000c0de5'
const CALL_GAS = `0x${(50_000_000).toString(16)}`
const callOf = (code: string): readonly unknown[] => [
  { to: CALLED, gas: CALL_GAS, data: '0x' },
  'latest',
  { [CALLED]: { code } },
]

const REFUSED = 'HTTP (429|503)|ECONNRESET|socket hang up|no answer in time'
/** A call that ends as it should, by its gas, by its time, or because its client has enough in flight. */
const EXECUTED = new RegExp(
  `^(ok|-32000 (out of gas|gas required exceeds|execution reverted|max code size|invalid|not enough|gas limit|.*code).*|-32002 .*|-32003 .*|-32005 .*|-32600 .*|-32602 .*|-32603 (execution aborted|err: ).*|-380.*|3 execution reverted.*|${REFUSED})$`,
)

const width = (assault: Assault, full: number): number => Math.max(3, scaled(assault, full))

const floodCalls = (assault: Assault, method: string, full: number, codes: readonly string[]): Promise<void> => {
  const texts = codes.map((code) => rpcText(method, callOf(code)))
  return flood(assault, width(assault, full), (index) => texts[index % texts.length] ?? '')
}

const floodLogs = (assault: Assault): Promise<void> => {
  const everything = { fromBlock: 'earliest', toBlock: 'latest' }
  const topics = [Array.from({ length: 1_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)]
  const texts = [rpcText('eth_getLogs', [{ ...everything, topics }]), rpcText('eth_getLogs', [everything])]
  return flood(assault, width(assault, 100), (index) => texts[index % texts.length] ?? '')
}

const floodTraces = (assault: Assault): Promise<void> => {
  const options = { enableMemory: true, enableReturnData: true }
  const traceOf = (code: string): string => {
    const [call] = callOf(code)
    return rpcText('debug_traceCall', [call, 'latest', { ...options, stateOverrides: { [CALLED]: { code } } }])
  }
  const block = rpcText('debug_traceBlockByNumber', [assault.prepared.loops, options])
  const texts = [traceOf(MEMORY), block, traceOf(LOOP), block]
  return flood(assault, width(assault, 20), (index) => texts[index % texts.length] ?? '')
}

const floodSimulations = (assault: Assault): Promise<void> => {
  const calls = Array.from({ length: 4 }, () => ({ to: CALLED }))
  const first = { stateOverrides: { [CALLED]: { code: LOOP } }, calls }
  const blockStateCalls = [first, ...Array.from({ length: 255 }, () => ({ calls }))]
  const options = { blockStateCalls, traceTransfers: true, returnFullTransactions: true }
  const text = rpcText('eth_simulateV1', [options, 'latest'])
  return flood(assault, width(assault, 16), () => text)
}

const floodFeeHistory = (assault: Assault): Promise<void> => {
  const few = Array.from({ length: 100 }, (_, index) => index + 0.5)
  const tooMany = Array.from({ length: 90_000 }, (_, index) => index / 1_000)
  const texts = [tooMany, few, few].map((percentiles) => rpcText('eth_feeHistory', ['0x400', 'latest', percentiles]))
  return flood(assault, width(assault, 64), (index) => texts[index % texts.length] ?? '')
}

const floodProofs = (assault: Assault): Promise<void> => {
  const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `0x${index.toString(16)}`)
  const [many, most] = [10_000, 1_024].map((count) => rpcText('eth_getProof', [CALLED, keys(count), 'latest']))
  return flood(assault, width(assault, 64), (index) => (index % 4 === 0 ? many : most) ?? '')
}

/** One connection: Node reads requests behind the one that it answers. */
const pipelineSlowCalls = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const requests = Buffer.from(rawPost(rpcText('eth_call', callOf(LOOP))).repeat(200))
  const socket = await connectTo(target.http)
  if (socket === undefined) return tally.add('not connected')
  socket.on('data', (bytes: Buffer) => {
    for (const [line] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 \d+/g)) tally.add(line)
  })
  socket.once('close', () => tally.add('closed by server'))
  // The first slow call takes longer on a busy machine than a short form of this.
  const answered = new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
  while (!isOver(assault) && !socket.destroyed) {
    if (!socket.write(requests)) await untilDrained(socket, leftMs(assault))
  }
  await answered
  socket.removeAllListeners('close').destroy()
}

const TURNS = 'workers by the turns of clients, gas and time of a call; what nobody waits for is not computed'

export const EXECUTION_ATTACKS: readonly Attack[] = [
  {
    name: 'eth_call endless loops, 64 at a time',
    seconds: 12,
    bounded: TURNS,
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_call', 64, [LOOP]),
  },
  {
    name: 'eth_estimateGas endless loops, 64',
    seconds: 12,
    bounded: TURNS,
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_estimateGas', 64, [LOOP]),
  },
  {
    name: 'eth_call memory bombs, 64',
    seconds: 12,
    bounded: `${TURNS}; memory by its gas`,
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_call', 64, [MEMORY]),
  },
  {
    name: 'eth_call modexp and 1 MB hashes, 64',
    seconds: 12,
    bounded: TURNS,
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_call', 64, [HASH, MODEXP]),
  },
  {
    name: 'eth_call behind 1,500 slow calls (shared stream)',
    seconds: 15,
    bounded: `${TURNS}; questions of a client in flight`,
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_call', 1_500, [LOOP]),
  },
  {
    name: 'eth_call with 3 MB overrides, 64',
    seconds: 12,
    bounded: 'bytes of questions that wait',
    outcomes: EXECUTED,
    run: (assault) => floodCalls(assault, 'eth_call', 64, [`0x${'00'.repeat(1_500_000)}`]),
  },
  {
    name: 'eth_getLogs over everything, 100',
    seconds: 12,
    bounded: 'logs and blocks of an answer, and the turns of clients',
    outcomes: EXECUTED,
    needsBlocks: true,
    run: floodLogs,
  },
  {
    name: 'debug traces with memory, 20',
    seconds: 15,
    bounded: 'bytes and time of a trace; a worker that has grown is replaced',
    outcomes: EXECUTED,
    needsBlocks: true,
    run: floodTraces,
  },
  {
    name: 'eth_simulateV1 of 256 blocks, 16',
    seconds: 15,
    bounded: TURNS,
    outcomes: EXECUTED,
    run: floodSimulations,
  },
  {
    name: 'eth_feeHistory, 1,024 x 100 percentiles, 64',
    seconds: 10,
    bounded: 'percentiles and blocks of a question, and the turns of clients',
    outcomes: EXECUTED,
    run: floodFeeHistory,
  },
  {
    name: 'eth_getProof of 10,000 and 1,024 keys, 64',
    seconds: 10,
    bounded: 'keys of a question',
    outcomes: EXECUTED,
    refusal: /^-32602 too many slots/,
    run: floodProofs,
  },
  {
    name: 'HTTP pipelining of slow calls, 1 connection',
    seconds: 12,
    bounded: 'requests of a connection and of a client in flight',
    outcomes: /^(HTTP\/1\.1 (200|429|503)|closed by server|not connected)$/,
    run: pipelineSlowCalls,
  },
]

/** Answers of many megabytes, asked again and again by a client that leaves at their first byte. */
import { type Assault, type Attack, leftMs, pump, scaled, untilEnd } from '../attack.ts'
import { batchText, connectTo, LOOPBACK_HOST, rawPost, rpcText } from '../wire.ts'

const askAndLeave = async (assault: Assault, address: string, request: string): Promise<void> => {
  const { tally } = assault
  const socket = await connectTo(address, 2_000)
  if (socket === undefined) return tally.add('not connected')
  const outcome = new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('no answer in time'), leftMs(assault) + 100)
    const settle = (word: string): void => {
      clearTimeout(timer)
      resolve(word)
    }
    socket.once('data', (bytes: Buffer) => settle(bytes.toString('latin1', 0, 12)))
    socket.once('close', () => settle('closed by server'))
  })
  socket.write(request)
  tally.add(await outcome)
  socket.destroy()
  return undefined
}

const OUTCOMES = /^(HTTP\/1\.1 (200|429|503)|closed by server|no answer in time|not connected)$/

/** `width` questions of JSON-RPC at a time. */
const askMuch = (assault: Assault, width: number, text: string): Promise<void> => {
  const request = rawPost(text)
  return pump(assault, { width: Math.max(2, scaled(assault, width)) }, () =>
    askAndLeave(assault, assault.target.http, request),
  )
}

const getMuch = (assault: Assault, path: string): Promise<void> => {
  const request = `GET ${path} HTTP/1.1\r\n${LOOPBACK_HOST}\r\n`
  return pump(assault, { width: Math.max(2, scaled(assault, 8)) }, () =>
    askAndLeave(assault, assault.target.rest, request),
  )
}

/** All connect and ask, and take a piece of the answer every second until the end. */
const askSlowly = async (assault: Assault): Promise<void> => {
  const { tally, target, prepared } = assault
  const path = `/cosmos/base/tendermint/v1beta1/blocks/${Number(prepared.large.block)}`
  const asked = Array.from({ length: scaled(assault, 200) }, async () => {
    const socket = await connectTo(target.rest, 2_000)
    if (socket === undefined) return tally.add('not connected')
    let first = 'no answer in time'
    socket.once('data', (bytes: Buffer) => {
      first = bytes.toString('latin1', 0, 12)
    })
    socket.on('data', () => {
      socket.pause()
      setTimeout(() => socket.resume(), 1_000).unref()
    })
    const closed = new Promise<void>((resolve) => void socket.once('close', resolve))
    socket.write(`GET ${path} HTTP/1.1\r\n${LOOPBACK_HOST}\r\n`)
    await Promise.race([closed, untilEnd(assault)])
    tally.add(first === 'no answer in time' && socket.destroyed ? 'closed by server' : first)
    socket.destroy()
    return undefined
  })
  await Promise.all(asked)
}

export const LARGE_ANSWER_ATTACKS: readonly Attack[] = [
  {
    name: 'receipt of 39,000 logs, 8 at a time',
    seconds: 12,
    bounded: 'answers of a client at once, by stored bytes and logs, made by workers',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) => askMuch(assault, 8, rpcText('eth_getTransactionReceipt', [assault.prepared.logs.hash])),
  },
  {
    name: 'receipts of a block with 40 x 39,000 logs, 2 at a time',
    seconds: 12,
    bounded: 'bytes of an answer, estimated before it is made',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) => askMuch(assault, 2, rpcText('eth_getBlockReceipts', [assault.prepared.logs.block])),
  },
  {
    name: 'full block of 50 x 127 KB transactions, 8 at a time',
    seconds: 12,
    bounded: 'answers of a client at once, by stored bytes, made by workers',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) => askMuch(assault, 8, rpcText('eth_getBlockByNumber', [assault.prepared.large.block, true])),
  },
  {
    name: 'REST: a block of 6 MB, 8 at a time',
    seconds: 12,
    bounded: 'answers of a client at once, by stored bytes, made by workers',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) =>
      getMuch(assault, `/cosmos/base/tendermint/v1beta1/blocks/${Number(assault.prepared.large.block)}`),
  },
  {
    name: 'REST: a block of 6 MB, 200 who ask at once and read slowly',
    seconds: 20,
    bounded: 'a block is read and made once for all who ask, and unread answers are of one budget',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: askSlowly,
  },
  {
    name: 'REST: transactions of a block of 6 MB, 8 at a time',
    seconds: 12,
    bounded: 'answers of a client at once, by stored bytes, made by workers',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) => {
      const height = Number(assault.prepared.large.block)
      return getMuch(assault, `/cosmos/tx/v1beta1/txs/block/${height}?pagination.limit=100`)
    },
  },
  {
    name: 'raw transactions of 127 KB, batches of 1,000',
    seconds: 10,
    bounded: 'bytes of the answers of a batch',
    outcomes: OUTCOMES,
    needsBlocks: true,
    run: (assault) => {
      const { hashes } = assault.prepared.large
      const call = (index: number): string =>
        rpcText('eth_getRawTransactionByHash', [hashes[index % hashes.length]], index)
      return askMuch(assault, 8, batchText(1_000, call))
    },
  },
]

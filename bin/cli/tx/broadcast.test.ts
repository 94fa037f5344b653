/** A transaction beside a node that goes away. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { baseAbci, txService } from '../../../proto/index.ts'
import { CLI_CODES } from '../../errors.ts'
import { CometClient } from '../client/comet-client.ts'
import { broadcast } from './broadcast.ts'

const RAW = Uint8Array.of(1, 2, 3)
const HASH = bytesToUnprefixedHex(sha256(RAW)).toUpperCase()
const TAKEN = JSON.stringify({ result: { code: 0, data: '', log: '', codespace: '', hash: HASH } })
const INCLUDED = JSON.stringify({
  result: {
    response: {
      code: 0,
      value: Buffer.from(
        toBinary(
          txService.GetTxResponseSchema,
          create(txService.GetTxResponseSchema, {
            txResponse: create(baseAbci.TxResponseSchema, { txhash: HASH, height: 7n }),
          }),
        ),
      ).toString('base64'),
    },
  },
})

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Answers each request with the next of these; undefined ends the connection. */
const clientOf = async (answers: readonly (string | undefined)[]): Promise<CometClient> => {
  const left = [...answers]
  server = createServer((request, response) => {
    const answer = left.shift()
    if (answer === undefined) request.socket.destroy()
    else request.resume().on('end', () => response.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new CometClient(`127.0.0.1:${(server.address() as AddressInfo).port}`, 100_000)
}

describe('a transaction that was sent', () => {
  it('is waited for while its node is started again', async () => {
    const client = await clientOf([TAKEN, undefined, undefined, INCLUDED])
    const { height, txhash } = await broadcast(client, RAW, { broadcastMode: 'sync', waitMs: 20_000 })
    expect([height, txhash]).toEqual([7n, HASH])
  })

  it('is named where nobody answers any more, or has not answered at all', async () => {
    const gone = await clientOf([TAKEN])
    await expect(broadcast(gone, RAW, { broadcastMode: 'sync', waitMs: 1 })).rejects.toMatchObject({
      codespace: 'cli',
      code: CLI_CODES.transaction,
      message: expect.stringContaining(HASH) as string,
    })
    server?.close()
    const silent = await clientOf([])
    await expect(broadcast(silent, RAW, { broadcastMode: 'sync', waitMs: 1 })).rejects.toMatchObject({
      codespace: 'cli',
      code: CLI_CODES.unreachable,
      message: expect.stringContaining(`${HASH} may have been sent`) as string,
    })
  })
})

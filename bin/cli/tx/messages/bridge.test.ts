/** What `chain tx bridge sign` and `set-key` make, judged by the module itself. */
import { fromBinary } from '@bufbuild/protobuf'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeBech32 } from '../../../../core/bech32.ts'
import { bytesToHex } from '../../../../core/hex.ts'
import { keyOf, WithdrawalWorld } from '../../../../modules/bridge/testing/withdrawals.ts'
import { ACCOUNT, depositOf, members } from '../../../../modules/bridge/testing/world.ts'
import { ask } from '../../../../modules/slashing/testing/world.ts'
import { bridgeTx } from '../../../../proto/index.ts'
import { openHome } from '../../../node/config/home.ts'
import type { CometClient } from '../../client/comet-client.ts'
import { BRIDGE_COMMANDS } from './bridge.ts'
import type { MessageContext } from './tx-command.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tx-bridge-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A node that answers of the world alone. */
const contextOf = (world: WithdrawalWorld, key: number): MessageContext => {
  const home = { ...openHome(folder), bridgeKey: join(folder, `key-${key}.json`) }
  const { address, privateKey } = keyOf(key)
  const keys = [{ address: bytesToHex(address), private_key: bytesToHex(privateKey) }]
  writeFileSync(home.bridgeKey, JSON.stringify({ keys }))
  const query: CometClient['query'] = (method, request) =>
    Promise.resolve(ask(world.module, world.state, world.height, method, request))
  const client = { query } as unknown as CometClient
  return { from: encodeBech32(ACCOUNT), home, client } as unknown as MessageContext
}

const sign = async (context: MessageContext): Promise<readonly bridgeTx.MsgSubmitSignature[]> => {
  const command = BRIDGE_COMMANDS.find(({ usage }) => usage === 'sign')
  const packed = (await command?.messages(context, [], {})) ?? []
  return packed.map(({ value }) => fromBinary(bridgeTx.MsgSubmitSignatureSchema, value))
}

it('signs the pending root and the next set with the keys of members, until nothing waits for them', async () => {
  const world = new WithdrawalWorld(members(10n, 10n, 10n, 10n), undefined, { setIntervalBlocks: 5n })
  world.accept(depositOf(0))
  world.blocks(10)
  await expect(sign(contextOf(world, 2))).rejects.toThrow('nothing waits for a signature')
  world.withdraw(5n)
  world.register(3, keyOf(9))
  world.blocks(5)
  for (const key of [0, 1, 2]) {
    const messages = await sign(contextOf(world, key))
    expect(messages).toHaveLength(2)
    for (const { digest, signature } of messages) world.submit({ digest, signature })
  }
  expect(world.proof(0).root?.power).toBe(30n)
  await expect(sign(contextOf(world, 7))).rejects.toThrow('nothing waits for a signature')
})

/** What was answered is in the pool after every start, however often the node starts. */
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { sendMessage, signNative } from './native-transactions.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { withWorld, type World } from './world.ts'

type Account = World['accounts'][number]

it(
  'a native transaction behind one that was replaced meanwhile',
  withWorld(330, {}, async ({ driver, nodes: [node], accounts: [account, other] }) => {
    const [from, to] = [account, other] as readonly [Account, Account]
    await driver.step()
    const sign = (maxFeePerGas: bigint): Promise<Uint8Array> =>
      signTransaction(from, 2, { nonce: 0, to: to.address, maxFeePerGas, tip: maxFeePerGas / 4n })
    const native = await signNative({
      chainId: driver.setup.chainId,
      messages: [sendMessage(from, hexToBytes(to.address), [{ denom: 'anat', amount: '1' }])],
      signers: [{ account: from, sequence: 1 }],
    })
    const [first, replacement] = [await sign(10n * GWEI), await sign(20n * GWEI)]
    await node?.ask('sendRawTransaction', { raw: bytesToHex(first) })
    expect(node?.application.checkTx(native, false)).toMatchObject({ code: 0 })
    await node?.ask('sendRawTransaction', { raw: bytesToHex(replacement) })
    for (let start = 1; start <= 3; start++) {
      await node?.restart()
      expect(node?.application.checkTx(native, true), `after start ${start}`).toMatchObject({ code: 0 })
    }
    const { block } = await driver.step(node)
    expect(block.transactions.slice(-2)).toEqual([replacement, native])
  }),
)

/** What CometBFT is told of the pool for gossip. */
import { expect, it } from 'vitest'
import { blockOf, openLone } from '../test/hostile/lone-application.ts'
import { signTransaction } from '../test/sim/traffic.ts'
import { bytesToHex, type Hex, hexToBytes } from '../core/hex.ts'
import { APPLICATION_DEFAULTS } from './settings.ts'

const SENT = 150
/** A page of CometBFT's unconfirmed_txs. */
const PAGE = 100

/** CometBFT's mempool, and what it is offered. */
const openGossip = async () => {
  const offered: string[] = []
  const network = { peers: 0 }
  const { application, accounts } = await openLone({
    settings: { pool: { ...APPLICATION_DEFAULTS.pool, accountSlots: SENT } },
    environment: {
      gossip: { offer: (raws) => offered.push(...raws.map(bytesToHex)) },
      consensusStatus: () => ({ catchingUp: false, peers: network.peers, highestHeight: 0 }),
    },
  })
  const [wallet] = accounts as readonly [(typeof accounts)[number]]
  const sign = (nonce: number) => signTransaction(wallet, 2, { nonce, to: wallet.address })
  const submit = (raw: Uint8Array) => application.ask('sendRawTransaction', { raw: bytesToHex(raw) }, 0)
  const check = (raw: Uint8Array, recheck = false): number => application.checkTx(raw, recheck).code
  /** What CometBFT is offered it takes, and asks CheckTx of it. */
  const take = (): readonly string[] => {
    const taken = offered.splice(0)
    for (const hex of taken) expect(check(hexToBytes(hex as Hex))).toBe(0)
    return taken
  }
  const decideEmpty = async (height: number): Promise<void> => {
    await application.finalizeBlock(blockOf(height, []))
    await application.commit()
  }
  return { application, network, sign, submit, check, take, decideEmpty }
}

it('a node without peers tells CometBFT of a page of transactions, and of all when the first peer comes', async () => {
  const { application, network, sign, submit, take } = await openGossip()
  const raws: Uint8Array[] = []
  const told: string[] = []
  for (let nonce = 0; nonce < SENT; nonce++) {
    const raw = await sign(nonce)
    raws.push(raw)
    await submit(raw)
    told.push(...take())
  }
  expect(told).toEqual(raws.slice(0, PAGE).map(bytesToHex))
  network.peers = 1
  application.refreshStatus()
  expect(take()).toEqual(raws.slice(PAGE).map(bytesToHex))
})

it('offers again what CometBFT asked of and then had no room for', async () => {
  const { network, sign, submit, check, take, decideEmpty } = await openGossip()
  network.peers = 1
  const [kept, dropped] = [await sign(0), await sign(1)]
  for (const raw of [kept, dropped]) await submit(raw)
  expect(take()).toHaveLength(2)
  const again: string[] = []
  for (let height = 1; height <= 20; height++) {
    await decideEmpty(height)
    again.push(...take())
    // After each block it asks of all that it has.
    expect(check(kept, true)).toBe(0)
    if (again.length > 0) expect(check(dropped, true)).toBe(0)
  }
  expect(again).toEqual([bytesToHex(dropped)])
})

it('offers again what it has to a CometBFT that was started anew, and not to who asks for its height', async () => {
  const { application, network, sign, submit, take } = await openGossip()
  network.peers = 1
  const raw = await sign(0)
  await submit(raw)
  expect(take()).toHaveLength(1)
  // Anyone may do so, as often as they like: /abci_info of CometBFT's RPC.
  application.info()
  application.refreshStatus()
  expect(take()).toEqual([])
  application.consensusConnected()
  application.refreshStatus()
  expect(take()).toEqual([bytesToHex(raw)])
})

it('takes the word of a CometBFT that does not ask again', async () => {
  const { network, sign, submit, take, decideEmpty } = await openGossip()
  network.peers = 1
  await submit(await sign(0))
  expect(take()).toHaveLength(1)
  for (let height = 1; height <= 20; height++) await decideEmpty(height)
  expect(take()).toEqual([])
})

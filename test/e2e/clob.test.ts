import { beforeAll, describe, expect, it } from 'vitest'
import { accountAt, createClient } from './clients.ts'
import { cancel, chainTime, orderResult, place, sendOrder, signOrder } from './clob-orders.ts'
import { askJsonRpc, until, useNode } from './harness.ts'

const node = useNode({ hasTestMarkets: true })
const [maker, taker] = [accountAt(1), accountAt(2)]

interface Market {
  readonly base_denom: string
  readonly quote_denom: string
  readonly lot_size: string
  readonly factor: string
}

let market: Market

const rest = async <T>(path: string): Promise<T> => (await (await fetch(`${node().urls.rest}${path}`)).json()) as T

const balanceOf = async (address: string, denom: string): Promise<bigint> => {
  const { balance } = await rest<{ balance: { amount: string } }>(
    `/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=${encodeURIComponent(denom)}`,
  )
  return BigInt(balance.amount)
}

beforeAll(async () => {
  await node().untilHeight(2)
  market = (await rest<{ market: Market }>('/nat/clob/v1/markets/1')).market
})

describe('an order that a wallet signs as typed data', () => {
  it('rests, is met by another one, and funds move in the one ledger', async () => {
    expect(market.base_denom).toBe('anat')
    const { base_denom: base, quote_denom: quote } = market
    const before = await Promise.all([
      balanceOf(maker.address, quote),
      balanceOf(taker.address, base),
      createClient(node()).getBalance({ address: maker.address }),
    ])
    const sell = await sendOrder(node(), maker, [
      place({ market: 1, side: 'sell', priceTicks: 1_000, qtyLots: 5_000, clientId: '0x01' }),
    ])
    const resting = await orderResult(node(), sell.hash)
    expect(resting).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 0 }] })
    expect(resting.actions[0]?.orderSeq).toBeGreaterThan(0)
    // Attested with the votes of the block after it was sent, and matched in the next.
    expect(resting.height).toBeLessThanOrEqual(sell.sentAt + 3)

    const buy = await sendOrder(node(), taker, [
      place({ market: 1, side: 'buy', priceTicks: 1_001, qtyLots: 2_000, tif: 'ioc' }),
    ])
    const filled = await orderResult(node(), buy.hash)
    const notional = 1_000n * 2_000n * BigInt(market.factor)
    expect(filled).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 2_000, quote: notional }] })
    expect(filled.events.map(({ type }) => type)).toContain('fill')

    const lot = BigInt(market.lot_size)
    expect(await balanceOf(taker.address, base)).toBe(before[1] + 2_000n * lot)
    // The maker's whole order left its account when it was placed; what it gets is the notional less its fee, or with its rebate.
    expect(await createClient(node()).getBalance({ address: maker.address })).toBe(before[2] - 5_000n * lot)
    const received = (await balanceOf(maker.address, quote)) - before[0]
    expect(received).toBeGreaterThan((notional * 99n) / 100n)
    expect(received).toBeLessThan((notional * 101n) / 100n)
  })

  it('is cancelled by its client id, and its funds come back', async () => {
    const client = createClient(node())
    const before = await client.getBalance({ address: maker.address })
    const { hash } = await sendOrder(node(), maker, [cancel(1, '0x01')])
    expect(await orderResult(node(), hash)).toMatchObject({ code: 0, actions: [{ code: 0 }] })
    expect(await client.getBalance({ address: maker.address })).toBe(before + 3_000n * BigInt(market.lot_size))
  })

  it('is refused with a code where it cannot be right', async () => {
    const ended = { ...(await chainTime(node())), height: -19 }
    const late = await signOrder(maker, [place({ market: 1, side: 'buy', priceTicks: 1, qtyLots: 1 })], ended)
    await expect(askJsonRpc(node().urls.http, 'clob_sendOrder', late)).rejects.toThrow('good_til_block 1 is past')
    await expect(
      sendOrder(node(), maker, [place({ market: 1, side: 'buy', priceTicks: 0, qtyLots: 1 })]),
    ).rejects.toThrow('price_ticks is missing: it is within 1 to 4294967295')
    await expect(
      sendOrder(node(), maker, [place({ market: 77, side: 'buy', priceTicks: 5, qtyLots: 1 })]),
    ).rejects.toThrow('no market that the order names is open')
    // What can only be known when its turn comes is a result.
    const { hash } = await sendOrder(node(), maker, [cancel(1, '0x77')])
    const unknown = await orderResult(node(), hash)
    expect(unknown.code).toBe(0)
    expect(unknown.actions[0]?.code).toBeGreaterThan(0)
  })

  it('is in the books again after the node was killed', async () => {
    const { hash } = await sendOrder(node(), maker, [
      place({ market: 1, side: 'sell', priceTicks: 1_050, qtyLots: 7_000, clientId: '0x02' }),
    ])
    await orderResult(node(), hash)
    const height = await node().height()
    node().kill('application')
    await node().untilHeight(height + 3, 30_000)
    const buy = await sendOrder(node(), taker, [
      place({ market: 1, side: 'buy', priceTicks: 1_050, qtyLots: 7_000, tif: 'fok' }),
    ])
    expect(await orderResult(node(), buy.hash)).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 7_000 }] })
    const orders = await until('no open order', async () => {
      const reply = await rest<{ orders: readonly unknown[] }>(`/nat/clob/v1/owners/${maker.address}/orders`)
      return reply.orders?.length === 0 ? reply.orders : undefined
    })
    expect(orders).toEqual([])
  })
})

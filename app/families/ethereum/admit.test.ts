import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { parseAddress } from '../../../core/address.ts'
import { EMPTY_ACCOUNT, type AccountState, type StateReader } from '../../../store/state.ts'
import { APPLICATION_DEFAULTS, type ApplicationSettings } from '../../settings.ts'
import { recoverSender } from '../../../evm/transaction/recover-sender.ts'
import type { AdmissionContext } from '../../pool/family.ts'
import { admit, examine } from './admit.ts'
import { Pool } from '../../pool/pool.ts'

const CHAIN_ID = 2_517
const SENDER = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const OTHER: Hex = '0x00000000000000000000000000000000000000aa'
const NAT = 10n ** 18n

const stateOf = (account: AccountState | undefined): StateReader => ({
  account: (address) => (bytesToHex(address) === SENDER.address.toLowerCase() ? account : undefined),
  storage: () => EMPTY_BYTES,
  code: () => EMPTY_BYTES,
  value: () => undefined,
  values: () => [],
})

interface World {
  readonly account?: AccountState | undefined
  readonly hardfork?: AdmissionContext['limits']['hardfork']
  readonly blockGasLimit?: bigint
  readonly settings?: Partial<ApplicationSettings>
  readonly baseFeePerGas?: bigint
}

const RICH: AccountState = { ...EMPTY_ACCOUNT, balance: 100n * NAT, nonce: 5n }

const makeContext = (world: World = {}): AdmissionContext => {
  const settings = { ...APPLICATION_DEFAULTS, ...world.settings }
  return {
    pool: new Pool(settings.pool, { executable: () => undefined, left: () => undefined }),
    state: stateOf('account' in world ? world.account : RICH),
    settings,
    limits: {
      chainId: BigInt(CHAIN_ID),
      hardfork: world.hardfork ?? 'osaka',
      blockGasLimit: world.blockGasLimit ?? 1_000_000_000n,
    },
    baseFeePerGas: world.baseFeePerGas ?? parseGwei('1.9'),
    nativeChainId: 'nat-test-1',
    height: 1,
    nowMs: 0,
    arrival: 0,
  }
}

interface Fields {
  readonly to?: Hex
  readonly data?: Hex
  readonly gas?: bigint
  readonly nonce?: number
  readonly value?: bigint
  readonly chainId?: number
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

const dynamic = async (fields: Fields = {}): Promise<Uint8Array> =>
  hexToBytes(
    await SENDER.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      to: OTHER,
      gas: 21_000n,
      nonce: 5,
      maxFeePerGas: parseGwei('10'),
      maxPriorityFeePerGas: parseGwei('1'),
      ...fields,
    }),
  )

const legacy = async (fields: Record<string, unknown> = {}): Promise<Uint8Array> =>
  hexToBytes(
    await SENDER.signTransaction({
      type: 'legacy',
      chainId: CHAIN_ID,
      to: OTHER,
      gas: 21_000n,
      nonce: 5,
      gasPrice: parseGwei('10'),
      ...fields,
    }),
  )

const refusal = (raw: Uint8Array, context: AdmissionContext, origin: 'wallet' | 'network' = 'wallet'): string => {
  try {
    const examined = examine(raw, origin, context)
    admit(examined, recoverSender(examined.transaction), context)
  } catch (error) {
    if (error instanceof CodedError) return error.message
    throw error
  }
  return 'admitted'
}

describe('admission to the pool', () => {
  it('refuses a gas limit above the cap of this node, whoever brings it', async () => {
    const context = makeContext({ settings: { maxTransactionGas: 50_000n } })
    const text = 'tx gas limit 50001 exceeds the cap of this node 50000'
    for (const origin of ['wallet', 'network'] as const) {
      expect(refusal(await dynamic({ gas: 50_001n }), context, origin)).toBe(text)
    }
    expect(refusal(await dynamic({ gas: 50_000n }), context)).toBe('admitted')
    expect(refusal(await dynamic({ gas: 10_000_000n }), makeContext())).toBe('admitted')
  })

  it('names the first thing that is wrong, in the order of geth', async () => {
    // Everything is wrong with it at first; one thing is put right after another. Viem refuses to sign a tip above
    // the cap, so that stands on its own below.
    const bad = {
      to: undefined,
      data: `0x${'00'.repeat(140_000)}`,
      gas: 1_200_000_000n,
      gasPrice: parseGwei('1000'),
      nonce: 4,
      chainId: undefined,
    } as const
    const world = { account: { ...RICH, balance: 0n } }
    const steps: readonly (readonly [Record<string, unknown>, string])[] = [
      [{}, 'tx fee (1200.00 ether) exceeds the configured cap (1.00 ether)'],
      [{ gasPrice: 1n }, 'only replay-protected (EIP-155) transactions allowed over RPC'],
      [{ chainId: 1 }, 'oversized data: transaction size 140084, limit 131072'],
      [{ data: `0x${'00'.repeat(49_153)}` }, 'max initcode size exceeded: code size 49153, limit 49152'],
      [{ data: `0x${'00'.repeat(49_152)}` }, 'transaction gas limit too high (cap: 16777216, tx: 1200000000)'],
      [{ gas: 20_000n }, 'invalid sender: invalid chain id for signer: have 1 want 2517'],
      [{ chainId: CHAIN_ID }, 'intrinsic gas too low: gas 20000, minimum needed 252680'],
      [{ gas: 252_680n }, 'insufficient gas for floor data gas cost: gas 252680, minimum needed 512520'],
      [{ gas: 512_520n }, 'tx underpriced'],
      [{ gasPrice: parseGwei('3') }, 'nonce too low: next nonce 5, tx nonce 4'],
      [
        { nonce: 5 },
        'insufficient funds for gas * price + value: balance 0, tx cost 1537560000000000, overshot 1537560000000000',
      ],
    ]
    let fields: Record<string, unknown> = bad
    for (const [better, text] of steps) {
      fields = { ...fields, ...better }
      expect(refusal(await legacy(fields), makeContext(world))).toBe(text)
    }
    expect(refusal(await legacy(fields), makeContext())).toBe('admitted')
  })

  it('knows the rest of the texts', async () => {
    const context = makeContext()
    const once = await dynamic()
    expect(refusal(once, context)).toBe('admitted')
    expect(refusal(once, context)).toBe('already known')
    const more = await dynamic({ maxFeePerGas: parseGwei('10.9'), maxPriorityFeePerGas: parseGwei('1.1') })
    expect(refusal(more, context)).toBe('replacement transaction underpriced')
    const enough = await dynamic({ maxFeePerGas: parseGwei('11'), maxPriorityFeePerGas: parseGwei('1.1') })
    expect(refusal(enough, context)).toBe('admitted')
    const small = { blockGasLimit: 100_000n, hardfork: 'prague' } as const
    expect(refusal(await dynamic({ gas: 100_001n }), makeContext(small))).toBe('exceeds block gas limit')
    // Viem signs no tip above the cap: five gwei become nine behind the signature, which is looked at later.
    const swapped = await dynamic({ maxFeePerGas: parseGwei('5'), maxPriorityFeePerGas: parseGwei('5') })
    const tipAt = Buffer.from(swapped).indexOf(Buffer.from('85012a05f20085012a05f200', 'hex'))
    expect(tipAt).toBeGreaterThan(0)
    swapped[tipAt + 1] = 0x02
    expect(refusal(swapped, makeContext())).toBe('max priority fee per gas higher than max fee per gas')
    const authorization = await SENDER.signAuthorization({ address: OTHER, nonce: 6, chainId: CHAIN_ID })
    const setCode = hexToBytes(
      await SENDER.signTransaction({
        type: 'eip7702',
        chainId: CHAIN_ID,
        to: OTHER,
        gas: 100_000n,
        nonce: 5,
        maxFeePerGas: parseGwei('10'),
        maxPriorityFeePerGas: parseGwei('1'),
        authorizationList: [authorization],
      }),
    )
    expect(refusal(setCode, makeContext({ hardfork: 'cancun' }))).toBe('transaction type not supported')
    expect(refusal(setCode, makeContext())).toBe('admitted')
    expect(refusal(Uint8Array.of(0x03, ...once.subarray(1)), makeContext())).toBe('transaction type not supported')
    expect(refusal(Uint8Array.of(0x02), makeContext())).toBe('typed transaction too short')
    expect(refusal(Uint8Array.of(0xf8, 0x01), makeContext())).toMatch(/^rlp: /)
  })

  it('measures the price that a block would pay, and the cap where that is below the base fee', async () => {
    const price = async (maxFeePerGas: string, maxPriorityFeePerGas: string, baseFee: string): Promise<string> => {
      const raw = await dynamic({
        maxFeePerGas: parseGwei(maxFeePerGas),
        maxPriorityFeePerGas: parseGwei(maxPriorityFeePerGas),
      })
      return refusal(raw, makeContext({ baseFeePerGas: parseGwei(baseFee) }))
    }
    expect(await price('2', '0.1', '1.9')).toBe('admitted')
    expect(await price('2', '0.099999999', '1.9')).toBe('tx underpriced')
    expect(await price('1.999999999', '1', '1.9')).toBe('tx underpriced')
    expect(await price('3', '0', '5')).toBe('admitted')
    expect(await price('1.95', '0', '5')).toBe('tx underpriced')
  })

  it('counts what the account has waiting already, and not what is replaced', async () => {
    const account = { ...RICH, balance: NAT }
    const context = makeContext({ account })
    const cost = 21_000n * parseGwei('10')
    expect(refusal(await dynamic({ value: NAT / 2n }), context)).toBe('admitted')
    const second = await dynamic({ nonce: 6, value: NAT / 2n })
    const overshot = 2n * cost
    expect(refusal(second, context)).toBe(
      'insufficient funds for gas * price + value: ' +
        `balance ${NAT}, queued cost ${NAT / 2n + cost}, tx cost ${NAT / 2n + cost}, overshot ${overshot}`,
    )
    const replacement = await dynamic({
      value: NAT - 2n * cost,
      maxFeePerGas: parseGwei('20'),
      maxPriorityFeePerGas: parseGwei('2'),
    })
    expect(refusal(replacement, context)).toBe('admitted')
  })

  it('lets a nonce be ahead, and bounds how many wait behind the gap', async () => {
    const settings = { pool: { ...APPLICATION_DEFAULTS.pool, accountQueue: 2 } }
    const context = makeContext({ settings })
    for (const nonce of [7, 9]) expect(refusal(await dynamic({ nonce }), context)).toBe('admitted')
    expect(refusal(await dynamic({ nonce: 8 }), context)).toMatch(/^txpool is full/)
    expect(context.pool.account(parseAddress(SENDER.address))?.nextNonce).toBe(5n)
  })

  it('takes of the network what no wallet may send: fees above the cap', async () => {
    const expensive = await dynamic({ maxFeePerGas: parseGwei('100000') })
    expect(refusal(expensive, makeContext(), 'wallet')).toMatch(/^tx fee \(2\.10 ether\) exceeds/)
    expect(refusal(expensive, makeContext(), 'network')).toBe('admitted')
    for (const first of [0x0a, 0x70, 0x71, 0x00]) {
      expect(refusal(Uint8Array.of(first, 1), makeContext(), 'network')).toMatch(/not supported$/)
    }
  })
})

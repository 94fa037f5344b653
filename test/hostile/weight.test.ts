/** Transactions that take long for their gas: they have a limit of their own, and take nobody's place. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
import { GENESIS_MAX_BLOCK_GAS } from '../../core/limits.ts'
import { textToString } from '../../core/text.ts'
import { EVM_CODESPACE, EVM_ERROR, isEvmError } from '../../evm/errors.ts'
import { DEFAULT_FEE_MARKET_GENESIS, readBaseFee } from '../../modules/feemarket/index.ts'
import { answer } from '../../query/answer.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, GENESIS_TIME_NS, type Lone, openLone } from './lone-application.ts'

/** Point evaluations (EIP-4844) with a wrong proof until the gas is used up: 50,000 gas each. */
const KZG_LOOP = ((): `0x${string}` => {
  const generator = '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
  const versionedHash = `01${createHash('sha256').update(Buffer.from(generator, 'hex')).digest('hex').slice(2)}`
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  const input = versionedHash + word(5) + word(7) + generator + generator
  const code = (inputAt: number): string =>
    `60c061${inputAt.toString(16).padStart(4, '0')}5f39` + '5b5f5f60c05f600a61c350fa50600756'
  return `0x${code(code(0).length / 2)}${input}`
})()
const MOST_GAS = 16_777_216n
const HIGH_TIP = 9_000_000_000n

type Account = Lone['accounts'][number]
const heavyTransaction = (account: Account, nonce: number, gas = MOST_GAS): Promise<Uint8Array> =>
  signTransaction(account, 2, { nonce, data: KZG_LOOP, gas, tip: HIGH_TIP })

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const open = async (nowMs = (): number => performance.now(), yieldToEventLoop = () => Promise.resolve()) => {
  const tries = { stopped: 0 }
  const lone = await openLone({
    environment: { clock: { nowMs, wallMs: nowMs }, yieldToEventLoop },
    engine: (real) => ({
      systemCall: (...parameters) => real.systemCall(...parameters),
      callContract: (...parameters) => real.callContract(...parameters),
      execute: async (...parameters) => {
        const outcome = await real.execute(...parameters)
        if (!outcome.valid && isEvmError(outcome.error, 'overWeight')) tries.stopped++
        return outcome
      },
    }),
  })
  const [attacker, other, honest] = lone.accounts as [Account, Account, Account]
  const propose = async (height: number) =>
    lone.application.prepareProposal({ ...blockOf(height, []), votes: [], maxTxBytes: 1_000_000 })
  const commit = async (height: number, transactions: readonly Uint8Array[]) => {
    const { transactionResults } = await lone.application.finalizeBlock(blockOf(height, transactions))
    await lone.application.commit()
    return transactionResults
  }
  return { ...lone, tries, attacker, other, honest, propose, commit }
}

it('heavy transactions of the highest tip leave the place of ordinary ones, and pay when they have their turn', async () => {
  const { application, attacker, other, honest, propose, commit } = await open()
  const heavy = await Promise.all(
    [attacker, other].flatMap((account) => [0, 1].map((nonce) => heavyTransaction(account, nonce))),
  )
  const small = await Promise.all(
    Array.from({ length: 40 }, (_, nonce) =>
      signTransaction(honest, 2, { nonce, to: attacker.address, gas: 21_000n, tip: 200_000_000n }),
    ),
  )
  for (const raw of [...heavy, ...small]) expect(application.checkTx(raw, false)).toMatchObject({ code: 0 })
  const first = await propose(1)
  expect(first.map(bytesToHex)).toEqual(expect.arrayContaining(small.map(bytesToHex)))
  expect(first.length).toBeGreaterThan(small.length)
  expect(first.length).toBeLessThan(small.length + heavy.length)
  const results = [...(await commit(1, first))]
  for (let height = 2; height < 6; height++) results.push(...(await commit(height, await propose(height))))
  // Out of gas: code 1 of the EVM, and all of it is paid.
  expect(results.filter(({ gasUsed }) => gasUsed === MOST_GAS)).toHaveLength(heavy.length)
})

it('a heavy transaction of the greatest gas has its turn, whatever small heavy ones pay more', async () => {
  // The turn goes by weight alone: a slow machine would have time for none of them.
  const { application, attacker, honest, propose, commit } = await open(() => 0)
  const kept = await signTransaction(honest, 2, { nonce: 0, data: KZG_LOOP, gas: MOST_GAS, tip: 2_000_000_000n })
  expect(application.checkTx(kept, false)).toMatchObject({ code: 0 })
  let turn = 0
  for (let height = 1; turn === 0 && height <= 12; height++) {
    expect(application.checkTx(await heavyTransaction(attacker, height - 1, 400_000n), false)).toMatchObject({
      code: 0,
    })
    const block = await propose(height)
    if (block.map(bytesToHex).includes(bytesToHex(kept))) turn = height
    await commit(height, block)
  }
  expect(turn).toBe(8)
})

it('a transaction that was stopped is not tried again because its sender replaces it', async () => {
  const { application, tries, attacker, honest: waster, propose, commit } = await open(() => 0)
  for (let height = 1; height <= 4; height++) {
    // The small one leaves no room for one of the greatest gas.
    const small = await heavyTransaction(attacker, height - 1, 400_000n)
    const fees = { tip: 2n ** BigInt(height) * 10n ** 8n, maxFeePerGas: 2n ** BigInt(height) * 10n ** 10n }
    const large = await signTransaction(waster, 2, { nonce: 0, data: KZG_LOOP, gas: MOST_GAS, ...fees })
    for (const raw of [small, large]) expect(application.checkTx(raw, false)).toMatchObject({ code: 0 })
    await commit(height, await propose(height))
  }
  expect(tries.stopped).toBe(1)
  // A plain transfer takes its place at once.
  const cancel = { nonce: 0, to: waster.address, tip: 10n ** 10n, maxFeePerGas: 10n ** 12n }
  const raw = await signTransaction(waster, 2, cancel)
  expect(application.checkTx(raw, false)).toMatchObject({ code: 0 })
  expect((await propose(5)).map(bytesToHex)).toEqual([bytesToHex(raw)])
})

it('a transaction that takes long gives way while it runs, when it is proposed and when it is decided', async () => {
  const { attacker, application, propose, commit, ...lone } = await open(undefined, nextTurn)
  let turns = 0
  let isCounting = true
  const count = (): void => {
    turns++
    if (isCounting) setImmediate(count)
  }
  const raw = await heavyTransaction(attacker, 0)
  expect(application.checkTx(raw, false)).toMatchObject({ code: 0 })
  setImmediate(count)
  // Some 1.2 s of one transaction, in pieces of 10 ms.
  const block = await propose(1)
  expect(block.map(bytesToHex)).toEqual([bytesToHex(raw)])
  expect(turns).toBeGreaterThan(20)
  turns = 0
  const other = await open(undefined, nextTurn)
  const [result] = await other.commit(1, block)
  expect(result?.gasUsed).toBe(MOST_GAS)
  expect(turns).toBeGreaterThan(20)
  isCounting = false
  expect(await commit(1, block)).toEqual([result])
  expect(lone.complaints).toEqual([])
})

it('blocks full of weight raise the base fee though they use little gas, and ordinary ones follow the EIP', async () => {
  const { viewAt, attacker, honest, commit } = await open()
  const feeAfter = (height: number): bigint => readBaseFee(viewAt(height).stateAt(height))
  const fees = { maxFeePerGas: 10n ** 12n }
  const { minBaseFeeAnat: minimum } = DEFAULT_FEE_MARKET_GENESIS
  let before = feeAfter(0)
  for (let height = 1; height <= 5; height++) {
    const raw = await signTransaction(attacker, 2, {
      nonce: height - 1,
      data: KZG_LOOP,
      gas: MOST_GAS,
      tip: 1n,
      ...fees,
    })
    const [result] = await commit(height, [raw])
    expect(result?.gasUsed).toBe(MOST_GAS)
    // It weighs 1.1 s above an ordinary one, and 0.9 s are half of a block.
    expect(feeAfter(height)).toBeGreaterThan(before + before / 100n)
    before = feeAfter(height)
  }
  for (let height = 6; height <= 8; height++) {
    const raw = await signTransaction(honest, 2, { nonce: height - 6, to: attacker.address, gas: 21_000n, ...fees })
    await commit(height, [raw])
    const target = BigInt(GENESIS_MAX_BLOCK_GAS) / 2n
    const expected = before - (before * (target - 21_000n)) / target / 8n
    expect(feeAfter(height)).toBe(expected > minimum ? expected : minimum)
    before = feeAfter(height)
  }
})

it('a simulation has the base fee that the chain has after heavy blocks', async () => {
  const { viewAt, attacker, commit } = await open()
  const fees = { maxFeePerGas: 10n ** 12n, tip: 1n }
  const call = {
    from: attacker.address,
    data: KZG_LOOP,
    gas: `0x${MOST_GAS.toString(16)}`,
    maxFeePerGas: '0xe8d4a51000',
  }
  const blocks = [[call], [call], []].map((calls) => ({ blockOverrides: {}, stateOverrides: {}, calls }))
  const options = { blocks, block: { tag: 'latest' }, traceTransfers: false, validation: true, fullTransactions: false }
  const shown = await answer(viewAt(0), 'simulate', options as never)
  const simulated = (JSON.parse(textToString(shown)) as { baseFeePerGas: string }[]).map(({ baseFeePerGas }) =>
    BigInt(baseFeePerGas),
  )
  for (let height = 1; height <= 2; height++) {
    await commit(height, [
      await signTransaction(attacker, 2, { nonce: height - 1, data: KZG_LOOP, gas: MOST_GAS, ...fees }),
    ])
    expect(readBaseFee(viewAt(height).stateAt(height))).toBe(simulated[height])
  }
  expect(simulated[2]).toBeGreaterThan(simulated[0] ?? 0n)
})

it('a proposal that weighs too much is rejected; decided all the same, what is too much has a code and no effect', async () => {
  const { application, attacker, other, honest } = await open()
  const heavy = await Promise.all([attacker, other, honest].map((account) => heavyTransaction(account, 0)))
  const block = { ...blockOf(1, heavy), timeNs: GENESIS_TIME_NS + 7n }
  expect(await application.processProposal(block)).toBe(false)
  const { transactionResults, appHash } = await application.finalizeBlock(block)
  const tooMuch = transactionResults.findIndex(
    ({ code, codespace }) => code === EVM_ERROR.overWeight && codespace === EVM_CODESPACE,
  )
  expect(tooMuch).toBeGreaterThan(0)
  expect(transactionResults[tooMuch]).toMatchObject({ gasUsed: 0n })
  // Without it the block has the same state.
  const valid = heavy.filter((_, index) => transactionResults[index]?.codespace !== EVM_CODESPACE)
  const without = await open()
  const alone = { ...block, transactions: valid }
  expect(await without.application.processProposal(alone)).toBe(true)
  expect((await without.application.finalizeBlock(alone)).appHash).toEqual(appHash)
})

/** Genesis files and consensus parameters that an operator can get wrong. */
import { describe, expect, it } from 'vitest'
import type { ConsensusParameters, InitChainRequest } from '../../app/ports.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import { DEFAULT_CONSENSUS_PARAMETERS } from '../../modules/consensus/index.ts'
import { withStake } from '../sim/stake-genesis.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, GENESIS_TIME_NS, openLone, VALIDATORS } from './lone-application.ts'

const WITHOUT_EXTENSIONS: ConsensusParameters = {
  ...DEFAULT_CONSENSUS_PARAMETERS,
  abci: { voteExtensionsEnableHeight: 0 },
}

const refusalOf = async (genesis: Partial<InitChainRequest>): Promise<string> => {
  try {
    await openLone({ genesis })
  } catch (error) {
    if (error instanceof CodedError) return error.message
    throw error
  }
  return 'accepted'
}

describe('InitChain', () => {
  it('refuses times that a block cannot have', async () => {
    expect(await refusalOf({ timeNs: -1n })).toMatch(/genesis_time/)
    expect(await refusalOf({ timeNs: -62_135_596_800n * 1_000_000_000n })).toMatch(/genesis_time/)
    expect(await refusalOf({ timeNs: 253_402_300_799n * 1_000_000_000n })).toMatch(/genesis_time/)
    expect(await refusalOf({ timeNs: 0n })).toBe('accepted')
  })

  it('refuses blocks without a limit', async () => {
    for (const block of [
      { maxBytes: -1, maxGas: 1_000_000 },
      { maxBytes: 5_000_000, maxGas: -1 },
      { maxBytes: 0, maxGas: 1 },
      { maxBytes: 20_000_000, maxGas: 1 },
      { maxBytes: 5_000_000, maxGas: 0 },
    ]) {
      const consensusParameters = { ...WITHOUT_EXTENSIONS, block }
      expect(await refusalOf({ consensusParameters }), JSON.stringify(block)).toMatch(/^consensus params: block\./)
    }
  })

  it.each([1, 20_999, 21_000])('runs with blocks of %i gas', async (maxGas) => {
    const consensusParameters = { ...WITHOUT_EXTENSIONS, block: { maxBytes: 5_000_000, maxGas } }
    const { application, accounts } = await openLone({ genesis: { consensusParameters } })
    const [account] = accounts as readonly [(typeof accounts)[number]]
    const raw = await signTransaction(account, 2, { nonce: 0, to: account.address })
    expect(application.checkTx(raw, false).code === 0).toBe(maxGas >= 21_000)
    for (let height = 1; height <= 3; height++) {
      const proposal = { ...blockOf(height, []), votes: [], maxTxBytes: 900_000 }
      const transactions = await application.prepareProposal(proposal)
      expect(transactions.length).toBe(maxGas >= 21_000 && height === 1 ? 1 : 0)
      expect(await application.processProposal(blockOf(height, transactions))).toBe(true)
      await application.finalizeBlock(blockOf(height, transactions))
      await application.commit()
    }
  })

  it('leaves nothing of a chain that it begins anew: not its state, not what waited for it', async () => {
    const { application, accounts } = await openLone()
    const [account] = accounts as readonly [(typeof accounts)[number]]
    const raw = await signTransaction(account, 2, { nonce: 0, to: account.address })
    expect(application.checkTx(raw, false).code).toBe(0)
    const state = { evm: { chain_id: '9999' }, bank: { balances: [] } }
    await application.initChain({
      timeNs: GENESIS_TIME_NS,
      chainId: 'other-1',
      consensusParameters: WITHOUT_EXTENSIONS,
      validators: VALIDATORS,
      appState: utf8ToBytes(JSON.stringify(withStake(state, VALIDATORS))),
      initialHeight: 1,
    })
    expect(JSON.parse(await application.ask('txpoolStatus', {}, 0))).toEqual({ pending: '0x0', queued: '0x0' })
    expect(
      await application.ask('balance', { address: bytesToHex(new Uint8Array(20)), block: { tag: 'latest' } }, 0),
    ).toBe('"0x0"')
    expect(await application.prepareProposal({ ...blockOf(1, []), votes: [], maxTxBytes: 900_000 })).toEqual([])
  })
})

describe('a proposal', () => {
  it('fills max_tx_bytes to the last byte and never passes it', async () => {
    const { application, accounts } = await openLone()
    const [account] = accounts as readonly [(typeof accounts)[number]]
    const raws: Uint8Array[] = []
    for (let nonce = 0; nonce < 40; nonce++)
      raws.push(await signTransaction(account, 2, { nonce, to: account.address }))
    for (const raw of raws) expect(application.checkTx(raw, false).code).toBe(0)
    // Tag, length, content: as CometBFT counts a transaction below 128 bytes.
    const sizeOf = (transactions: readonly Uint8Array[]): number =>
      transactions.reduce((sum, { length }) => sum + length + 2, 0)
    const whole = sizeOf(raws)
    for (const [index, maxTxBytes] of [0, 1, 116, 117, 118, 119, 120, 121, whole - 1, whole, whole + 9].entries()) {
      const proposal = { ...blockOf(1, []), timeNs: GENESIS_TIME_NS + BigInt(index), votes: [], maxTxBytes }
      const chosen = await application.prepareProposal(proposal)
      expect(sizeOf(chosen)).toBeLessThanOrEqual(maxTxBytes)
      const [next] = raws.slice(chosen.length)
      if (next !== undefined) expect(sizeOf(chosen) + next.length + 2).toBeGreaterThan(maxTxBytes)
    }
  })
})

/** What a faulty proposer makes of an honest block, and how honest nodes word their refusal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devnetAccounts } from '../../../bin/cli/keys/devnet-accounts.ts'
import { concatBytes, EMPTY_BYTES } from '../../../core/bytes.ts'
import type { Hex } from '../../../core/hex.ts'
import { InjectedExtensionsSchema, InjectedVoteSchema } from '../../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'

/** The gas of a block in the consensus parameters of the faulty network: a transaction can ask for all of it. */
export const BLOCK_GAS = 10_000_000
/** Its transactions come from faulty proposers alone. */
const SENDER = 9
/** Longer than timeout_propose: the others have given the round up. */
const LATE_MS = 4_000
/** Longer than the rounds that the others need without it. */
const SILENCE_MS = 12_000

const { privateKey } = devnetAccounts()[SENDER] ?? { privateKey: '0x' }
const account = privateKeyToAccount(privateKey as Hex)
export const faultySender = account.address

interface TransferOptions {
  /** How far the nonce is above the account's. */
  readonly ahead?: number
  readonly value?: bigint
  readonly gas?: bigint
  readonly chainId?: number
}

export interface Proposal {
  readonly transactions: readonly Uint8Array[]
  transfer(options?: TransferOptions): Promise<Uint8Array>
}

export const proposalOf = (transactions: readonly Uint8Array[], nonce: number): Proposal => ({
  transactions,
  transfer: async ({ ahead = 0, value = 1n, gas = 21_000n, chainId = 2517 } = {}) =>
    hexToBytes(
      await account.signTransaction({
        chainId,
        nonce: nonce + ahead,
        to: account.address,
        value,
        gas,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      }),
    ),
})

interface Fault {
  /** The reason in the line `proposal rejected`; undefined where there is nothing to reject. */
  readonly reason: RegExp | undefined
  alter(proposal: Proposal): Promise<readonly Uint8Array[]>
}

const fault = (reason: RegExp, alter: Fault['alter']): Fault => ({ reason, alter })

const slow = (delayMs: number): Fault => ({
  reason: undefined,
  alter: async ({ transactions }) => {
    await sleep(delayMs)
    return transactions
  },
})

const forgeSignature = ([injected = EMPTY_BYTES, ...rest]: readonly Uint8Array[]): readonly Uint8Array[] => {
  const { version, votes } = fromBinary(InjectedExtensionsSchema, injected.subarray(1))
  const [first, ...others] = votes
  const { extension = EMPTY_BYTES, signature = EMPTY_BYTES } = first ?? {}
  const altered = create(InjectedVoteSchema, { extension, signature: signature.map((byte) => byte ^ 1) })
  const forged = create(InjectedExtensionsSchema, { version, votes: [altered, ...others] })
  return [concatBytes(injected.subarray(0, 1), toBinary(InjectedExtensionsSchema, forged)), ...rest]
}

export const PROPOSER_FAULTS: Readonly<Record<string, Fault>> = {
  'families in a wrong order': fault(/must begin with the vote extensions/, async (proposal) => {
    const [injected = EMPTY_BYTES, ...rest] = proposal.transactions
    return [await proposal.transfer(), injected, ...rest]
  }),
  'no vote extensions': fault(/must begin with the vote extensions/, async ({ transactions }) => transactions.slice(1)),
  'vote extensions twice': fault(/vote extensions stand only first/, async ({ transactions }) => [
    ...transactions,
    transactions[0] ?? EMPTY_BYTES,
  ]),
  'altered vote extensions': fault(/not in their canonical encoding/, async ({ transactions: [injected, ...rest] }) => [
    concatBytes(injected ?? EMPTY_BYTES, Uint8Array.of(0xff, 0xff)),
    ...rest,
  ]),
  'vote extensions in another encoding': fault(
    /vote extensions are not in their canonical encoding/,
    // A field that nobody knows.
    async ({ transactions: [injected, ...rest] }) => [
      concatBytes(injected ?? EMPTY_BYTES, Uint8Array.of(0x1a, 0x00)),
      ...rest,
    ],
  ),
  'a forged signature': fault(/vote extension 0 has a wrong signature/, async ({ transactions }) =>
    forgeSignature(transactions),
  ),
  'more gas than the block has': fault(/gas limit reached/, async ({ transactions, transfer }) => [
    ...transactions,
    await transfer(),
    await transfer({ ahead: 1, gas: BigInt(BLOCK_GAS) }),
  ]),
  'more transactions than the gas allows': fault(
    /transactions need \d+ gas at least, more than/,
    async ({ transactions }) => [...transactions, ...Array.from({ length: 600 }, () => EMPTY_BYTES)],
  ),
  'a used nonce': fault(/nonce too low/, async ({ transactions, transfer }) => [
    ...transactions,
    await transfer(),
    await transfer({ value: 2n }),
  ]),
  'a nonce ahead': fault(/nonce too high/, async ({ transactions, transfer }) => [
    ...transactions,
    await transfer({ ahead: 3 }),
  ]),
  'more than the balance': fault(/insufficient funds/, async ({ transactions, transfer }) => [
    ...transactions,
    await transfer({ value: 10n ** 30n }),
  ]),
  'a transaction twice': fault(/nonce too low/, async ({ transactions, transfer }) => {
    const twice = await transfer()
    return [...transactions, twice, twice]
  }),
  'a transaction of another chain': fault(/invalid chain id/, async ({ transactions, transfer }) => [
    ...transactions,
    await transfer({ chainId: 1 }),
  ]),
  'bytes of no family': fault(/not supported/, async ({ transactions }) => [
    ...transactions,
    Uint8Array.of(0x09, 1, 2),
  ]),
  // Its CometBFT waits for the answer, the others wait no longer than timeout_propose.
  'a late proposal': slow(LATE_MS),
  silence: slow(SILENCE_MS),
}

/** The faults of extensions: four validators may use 128 KiB each. */
export const VOTER_FAULTS: Readonly<Record<string, () => Uint8Array>> = {
  'a garbage vote extension': () => Uint8Array.from({ length: 100 }, (_, index) => (index * 97) & 0xff),
  'the longest vote extension': () => new Uint8Array(128 * 1024).fill(7),
  'an oversize vote extension': () => new Uint8Array(128 * 1024 + 1).fill(7),
}

/** Accepts every proposal. */
export const ACCEPT_ALL = 'accepts all'
/** Refuses one Commit, as an application does that was started anew between FinalizeBlock and Commit. */
export const FORGETS = 'forgets a block'

import { expect, it } from 'vitest'
import { EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { verifyExtensionSignature } from '../../core/vote-extension.ts'
import { makeTorsionedValidator, makeValidator, type Validator } from '../../test/sim/validators.ts'
import type { ExtendedVote } from '../ports.ts'
import { rememberValid, type SignedVoteExtension } from './verified-memo.ts'
import { encodeInjected, readInjected } from './injected.ts'

const CHAIN_ID = 'localnat-1'
const VALIDATORS = [makeTorsionedValidator('liar', 10n), ...[1, 2].map((index) => makeValidator(`${index}`, 10n))]

/** Makes the function with a list of the votes that were really verified. */
const counting = (maxKnown?: number) => {
  const asked: SignedVoteExtension[] = []
  const verify = rememberValid((vote) => {
    asked.push(vote)
    return verifyExtensionSignature(vote)
  }, maxKnown)
  return { asked, verify }
}

const signedBy = (validator: Validator, height: number, extension = EMPTY_BYTES): SignedVoteExtension => {
  const signed = { extension, height, round: 0, chainId: CHAIN_ID }
  return { ...signed, publicKey: validator.publicKey, signature: validator.sign(signed) }
}

it('a proposer, and every round after it, verifies each vote once', () => {
  const { asked, verify } = counting()
  const context = { chainId: CHAIN_ID, height: 8, lastCommitRound: 0, validators: VALIDATORS, capBytes: 2_048, verify }
  const votes = VALIDATORS.map((validator): ExtendedVote => {
    const { signature } = signedBy(validator, 7)
    const { address, power } = validator
    return { validatorAddress: address, power, flag: 'commit', extension: EMPTY_BYTES, extensionSignature: signature }
  })
  const injected = encodeInjected(votes, { ...context, maxTxBytes: 100_000 })
  for (let round = 0; round < 3; round++) {
    expect(readInjected(injected?.raw ?? EMPTY_BYTES, { ...context, lastCommit: votes })).toMatchObject({ height: 7 })
  }
  expect(asked).toHaveLength(VALIDATORS.length)
})

it('answers as the function behind it: nothing that differs in any part is taken for known', () => {
  const { verify } = counting()
  const [first, second] = VALIDATORS as [Validator, Validator]
  const vote = signedBy(first, 7, utf8ToBytes('said'))
  expect(verify(vote)).toBe(true)
  const others: readonly SignedVoteExtension[] = [
    { ...vote, extension: utf8ToBytes('sais') },
    { ...vote, extension: EMPTY_BYTES },
    { ...vote, height: 8 },
    { ...vote, round: 1 },
    { ...vote, chainId: 'localnat-2' },
    { ...vote, publicKey: second.publicKey },
    { ...vote, signature: signedBy(second, 7, utf8ToBytes('said')).signature },
    { ...vote, signature: vote.signature.slice(0, 63) },
    {
      ...vote,
      publicKey: vote.publicKey.slice(0, 31),
      signature: Uint8Array.of(vote.publicKey[31] ?? 0, ...vote.signature),
    },
  ]
  for (const other of others) expect(verify(other)).toBe(false)
  expect(verify(vote)).toBe(true)
})

it('keeps a bounded number, and nothing that is not valid', () => {
  const { asked, verify } = counting(2)
  const [validator] = VALIDATORS as [Validator]
  const wrong = { ...signedBy(validator, 7), height: 6 }
  for (const time of [1, 2]) {
    expect(verify(wrong)).toBe(false)
    expect(asked).toHaveLength(time)
  }
  const votes = [1, 2, 3].map((height) => signedBy(validator, height))
  for (const vote of [...votes, ...votes.slice(1)]) expect(verify(vote)).toBe(true)
  expect(asked).toHaveLength(5)
  expect(verify(votes[0] as SignedVoteExtension)).toBe(true)
  expect(asked).toHaveLength(6)
})

/** Whom an audit blames for a header that does not follow the one before it. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { concatBytes, plainBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { AuditFault } from './audit-fault.ts'
import { COMMIT_FLAG, followFault, headerHash, isFork, signedFault, validatorsHash } from './audit-light.ts'
import type { Header, Member, SignedHeader } from './audit-node.ts'
import { bytesField, intField, messageField, sfixed64Field, timestamp, uvarint } from './audit-wire.ts'

interface Signer extends Member {
  readonly privateKey: KeyObject
}

const RAW_KEY_BYTES = 32
const makeSigner = (power: bigint): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return { publicKey: plainBytes(der.subarray(der.length - RAW_KEY_BYTES)), privateKey, power }
}

const SET = [10n, 10n, 10n, 10n].map(makeSigner)
const OTHERS = [10n, 10n, 10n, 10n].map(makeSigner)
const ZERO = new Uint8Array(32)
const PARTS = { total: 1, hash: ZERO }

const headerOf = (height: number, changes: Partial<Header> = {}): Header => ({
  ...{ version: { block: 11, app: 0 }, chain_id: 'localnat-1', height, time: BigInt(height) * 1_000_000_000n },
  ...{ last_block_id: { hash: ZERO, parts: PARTS }, last_commit_hash: ZERO, data_hash: ZERO },
  ...{ validators_hash: validatorsHash(SET), next_validators_hash: validatorsHash(SET), consensus_hash: ZERO },
  ...{ app_hash: ZERO, last_results_hash: ZERO, evidence_hash: ZERO, proposer_address: new Uint8Array(20) },
  ...changes,
})

/** The header with the votes of these members; the others are absent. */
const signedBy = (header: Header, members: readonly Signer[], count = members.length): SignedHeader => {
  const hash = headerHash(header)
  const block_id = { hash, parts: PARTS }
  const blockBytes = concatBytes(
    bytesField(1, hash),
    messageField(2, concatBytes(intField(1, 1), bytesField(2, PARTS.hash))),
  )
  const signatures = members.map(({ publicKey, privateKey }, index) => {
    const body = concatBytes(
      ...[intField(1, 2), sfixed64Field(2, header.height), messageField(4, blockBytes)],
      ...[messageField(5, timestamp(header.time)), bytesField(6, utf8ToBytes(header.chain_id))],
    )
    const signature = plainBytes(sign(null, concatBytes(uvarint(body.length), body), privateKey))
    const isThere = index < count
    return {
      block_id_flag: isThere ? COMMIT_FLAG : 1,
      validator_address: isThere ? consensusAddress(publicKey) : new Uint8Array(0),
      timestamp: header.time,
      signature: isThere ? signature : new Uint8Array(0),
    }
  })
  return { header, commit: { height: header.height, round: 0, block_id, signatures } }
}

const before = headerOf(7)
const following = headerOf(8, { last_block_id: { hash: headerHash(before), parts: PARTS } })

describe('a header behind a verified one', () => {
  it('follows, and more than two thirds of the power signed it', () => {
    expect(followFault(following, before)).toBeUndefined()
    expect(signedFault(signedBy(following, SET, 3), SET)).toBeUndefined()
    expect(signedFault(signedBy(following, SET, 2), SET)).toBe('20 of 40 power signed header 8')
  })

  it('shows a fork where the validators signed one that does not follow', () => {
    const other = headerOf(8, { last_block_id: { hash: sha256(ZERO), parts: PARTS } })
    expect(followFault(other, before)).toContain('does not follow')
    expect(isFork(signedBy(other, SET, 3), before, SET)).toBe(true)
  })

  it('shows a lie where too little of the power signed it, or where others did', () => {
    const other = headerOf(8, { last_block_id: { hash: sha256(ZERO), parts: PARTS } })
    expect(isFork(signedBy(other, SET, 2), before, SET)).toBe(false)
    // A set of its own that nobody announced.
    const usurped = headerOf(8, { ...following, validators_hash: validatorsHash(OTHERS) })
    expect(followFault(usurped, before)).toContain('are not those that header 7 announced')
    expect(signedFault(signedBy(usurped, OTHERS), OTHERS)).toBeUndefined()
    expect(isFork(signedBy(usurped, OTHERS), before, SET)).toBe(false)
    // Signatures under another header, or of another height or chain.
    expect(isFork({ ...signedBy(following, SET), header: other }, before, SET)).toBe(false)
    expect(isFork(signedBy(headerOf(9), SET), before, SET)).toBe(false)
    expect(isFork(signedBy(headerOf(8, { chain_id: 'else-1' }), SET), before, SET)).toBe(false)
  })
})

it('a finding says who is at fault', () => {
  const found = { height: 9, rule: 1, what: 'x' } as const
  const liar = 'http://127.0.0.1:1'
  expect(new AuditFault(found).message).toBe('height 9: rule 1: the chain breaks it: x')
  expect(new AuditFault({ ...found, liar }).message).toBe(`height 9: rule 1: the node ${liar} lies: x`)
  expect(new AuditFault({ ...found, liar, mayBeChain: true }).message).toBe(
    `height 9: rule 1: the node ${liar} lies, or the chain breaks it: x`,
  )
})

import { expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { type ClobTx, decodeClobBody, encodeClobTx } from '../orders/index.ts'
import { type Body, idOf } from './ids.ts'
import { InjectedBodies } from './injected-bodies.ts'

const SALT = new Uint8Array(32).fill(7)

/** A transaction with the least of everything. */
const SMALLEST: ClobTx = {
  owner: new Uint8Array(20).fill(1),
  subaccount: 0,
  nonceMs: 0,
  goodTilBlock: 0,
  actions: [{ kind: 'scheduleCancel', atMs: 0 }],
  sigScheme: 1,
  signature: new Uint8Array(65).fill(1, 0, 64),
  agent: undefined,
}

const readBody = (raw: Uint8Array): Body => {
  const hash = sha256(raw)
  try {
    return { raw, hash, body: decodeClobBody(raw) }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return { raw, hash, body: undefined }
  }
}

const find = (raws: readonly Uint8Array[], raw: Uint8Array, salt = SALT) =>
  new InjectedBodies(raws, readBody).find({ id: idOf(SALT, sha256(raw)), salt })?.raw

it('the smallest order that there is, is found', () => {
  const raw = encodeClobTx(SMALLEST)
  expect(readBody(raw).body).toBeDefined()
  // All that is shorter is passed over without being hashed.
  expect(raw).toHaveLength(98)
  expect(find([raw], raw)).toEqual(raw)
  expect(find([Uint8Array.of(0x70), raw, raw], raw)).toEqual(raw)
})

it('a body is found under the salt of its id alone, and only where it is statically valid', () => {
  const raw = encodeClobTx({ ...SMALLEST, nonceMs: 1 })
  expect(find([raw], raw, new Uint8Array(32))).toBeUndefined()
  expect(find([], raw)).toBeUndefined()
  const unknown = Uint8Array.of(...raw, 0x78, 1)
  expect(find([unknown], unknown)).toBeUndefined()
})

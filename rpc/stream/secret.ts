/**
 * Both ends of the stream show that they know one secret, before anything is asked or told. It is never sent: each answers the
 * other's number, which is used once, with a keyed hash (HMAC-SHA-256, RFC 2104) over both numbers and its role. What follows is not encrypted: the
 * secret keeps strangers out of a private network, and a listener there reads what is public anyway.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const NUMBER_BYTES = 32
const NUMBER = /^[0-9a-f]{64}$/

export type Role = 'application' | 'gateway'

export interface Numbers {
  readonly application: string
  readonly gateway: string
}

export const createNumber = (): string => randomBytes(NUMBER_BYTES).toString('hex')

export const isNumber = (text: string): boolean => NUMBER.test(text)

export const proofOf = (secret: Uint8Array, role: Role, { application, gateway }: Numbers): string =>
  createHmac('sha256', secret).update(`nat-query ${role} ${application} ${gateway}`).digest('hex')

/** Takes as long for each wrong one. */
export const isProof = (shown: string, secret: Uint8Array, role: Role, numbers: Numbers): boolean => {
  const [given, expected] = [Buffer.from(shown), Buffer.from(proofOf(secret, role, numbers))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

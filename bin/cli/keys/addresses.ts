/** Addresses on the command line: 0x..., nat1..., natvaloper1..., natvalcons1..., and names of keys. */
import { type Address, checksumAddress, toAddress } from '../../../core/address.ts'
import { BECH32_PREFIX } from '../../../core/amounts.ts'
import { decodeBech32, encodeBech32 } from '../../../core/bech32.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { formatConsensusAddress, formatOperator } from '../../../modules/validator-addresses.ts'
import { cliError, errorText } from '../../errors.ts'
import type { Keyring } from './keyring.ts'

const PREFIXES = ['', 'valoper', 'valcons'].map((suffix) => `${BECH32_PREFIX}${suffix}`)

/** Digits of one case have no checksum (EIP-55); others have the one that finds a digit which was mistyped. */
const checkCase = (digits: string, address: Address): void => {
  const checksum = checksumAddress(address)
  if ([digits.toLowerCase(), digits.toUpperCase(), checksum.slice(2)].includes(digits)) return
  throw cliError(
    'usage',
    `0x${digits} has a wrong checksum: a digit of it is mistyped. With these digits it would be ${checksum}`,
  )
}

/** Twenty bytes in any of the forms; undefined for what looks like none of them. Throws cli/1 for a broken one. */
export const readAddress = (text: string): Address | undefined => {
  const digits = text.replace(/^0x/i, '')
  if (/^[0-9a-fA-F]{40}$/.test(digits)) {
    const address = plainBytes(Buffer.from(digits, 'hex'))
    checkCase(digits, address)
    return address
  }
  const prefix = PREFIXES.find((each) => text.toLowerCase().startsWith(`${each}1`))
  if (prefix === undefined) return undefined
  try {
    return toAddress(decodeBech32(text, prefix))
  } catch (error) {
    throw cliError('usage', errorText(error))
  }
}

/** An address, or the name of a key. Throws cli/1. */
export const resolveAddress = (text: string, keyring: Keyring): Address => {
  const address = readAddress(text) ?? keyring.find(text)?.address
  if (address !== undefined) return address
  throw cliError('usage', `"${text}" is no address (0x..., ${BECH32_PREFIX}1...), and no key in ${keyring.folder}`)
}

export interface AddressForms {
  readonly hex: string
  readonly checksum: string
  readonly account: string
  readonly operator: string
  readonly consensus: string
}

export const addressForms = (address: Address): AddressForms => ({
  hex: bytesToUnprefixedHex(address).toUpperCase(),
  checksum: checksumAddress(address),
  account: encodeBech32(address),
  operator: formatOperator(address),
  consensus: formatConsensusAddress(address),
})

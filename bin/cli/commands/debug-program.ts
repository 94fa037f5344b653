/** The commands below `chain debug`. */
import { Command } from 'commander'
import * as z from 'zod'
import { publicKeyAddress } from '../../../app/native/public-key.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { cliError } from '../../errors.ts'
import { printPublicKey, readPublicKey } from '../keys/public-key-json.ts'
import { addressForms, readAddress } from '../keys/addresses.ts'
import { type Flags, outputOf, withOutput } from '../client/flags.ts'
import { printResult } from '../output.ts'
import { parseJson } from '../input.ts'

const ED25519_BYTES = 32
/** A key as the SDK prints it, or as CometBFT's files have it. */
const ed25519Key = z.union([
  z.object({ '@type': z.literal('/cosmos.crypto.ed25519.PubKey'), key: z.base64() }).transform(({ key }) => key),
  z.object({ type: z.literal('tendermint/PubKeyEd25519'), value: z.base64() }).transform(({ value }) => value),
])

/** Throws cli/1. */
export const describeAddress = (text: string): object => {
  const address = readAddress(text)
  if (address === undefined)
    throw cliError('usage', `"${text}" is no address: 0x..., nat1..., natvaloper1..., natvalcons1...`)
  return addressForms(address)
}

/** Throws cli/1 and cli/18. */
export const describePublicKey = (text: string): object => {
  const json = parseJson(text, 'the public key')
  const consensus = ed25519Key.safeParse(json)
  if (!consensus.success) {
    const publicKey = readPublicKey(json)
    const hex = publicKey.type === 'multisig' ? {} : { pubkey_hex: bytesToUnprefixedHex(publicKey.key) }
    return {
      type: publicKey.type,
      ...addressForms(publicKeyAddress(publicKey)),
      ...hex,
      pubkey: printPublicKey(publicKey),
    }
  }
  const key = plainBytes(Buffer.from(consensus.data, 'base64'))
  if (key.length !== ED25519_BYTES)
    throw cliError('usage', `an ed25519 key has ${ED25519_BYTES} bytes, not ${key.length}`)
  const { hex, consensus: bech32 } = addressForms(consensusAddress(key))
  return {
    type: 'ed25519',
    hex,
    consensus: bech32,
    pubkey_hex: bytesToUnprefixedHex(key),
    pubkey: { '@type': '/cosmos.crypto.ed25519.PubKey', key: consensus.data },
  }
}

export const createDebugProgram = (): Command => {
  const program = new Command('chain debug').description('addresses and public keys in all their forms')
  withOutput(program.command('addr <address>').description('an address in all forms, from any of them'), 'text').action(
    (text: string, flags: Flags) => printResult(describeAddress(text), outputOf(flags)),
  )
  withOutput(program.command('pubkey <json>').description('the address of a public key'), 'text').action(
    (text: string, flags: Flags) => printResult(describePublicKey(text), outputOf(flags)),
  )
  return program
}

/** Who acts in the native scenario: the accounts of the devnet, and keys of validators that are the same everywhere. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { moduleAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { formatConsensusAddress, formatOperator } from '../../../modules/validator-addresses.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { bech32Of } from '../../sim/native-transactions.ts'
import { accountAt } from '../clients.ts'

export const CHAIN_ID = 'localnat-1'

export interface Actor {
  readonly account: PrivateKeyAccount
  readonly address: string
  /** The address as a validator. */
  readonly operator: string
}

const actorAt = (index: number): Actor => {
  const account = accountAt(index)
  return { account, address: bech32Of(account), operator: formatOperator(hexToBytes(account.address)) }
}

/** Operates the validator of the genesis. */
export const FIRST = actorAt(0)
export const DELEGATOR = actorAt(1)
/** Creates a tiny validator. */
export const SECOND = actorAt(2)
export const OTHER = actorAt(3)
/** Signs nothing: its balance stands. */
export const IDLE = actorAt(7)
/** Never funded. */
export const STRANGER = encodeBech32(new Uint8Array(20).fill(0x31))
export const NOBODY = formatOperator(new Uint8Array(20).fill(0x31))
export const GOVERNANCE = encodeBech32(moduleAddress('gov'))

/** Keys of RFC 8032, section 7.1: the validator of the genesis has the second, the tiny one the first. */
const FIRST_SEED = '0x4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'
const FIRST_KEY = hexToBytes('0x3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
export const SECOND_KEY = hexToBytes('0xd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')
export const FIRST_CONSENSUS = formatConsensusAddress(consensusAddress(FIRST_KEY))
export const SECOND_CONSENSUS = formatConsensusAddress(consensusAddress(SECOND_KEY))

/** priv_validator_key.json of CometBFT. */
export const firstKeyFile = (): string => {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
  return JSON.stringify({
    address: Buffer.from(consensusAddress(FIRST_KEY)).toString('hex').toUpperCase(),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: base64(FIRST_KEY) },
    priv_key: {
      type: 'tendermint/PrivKeyEd25519',
      value: base64(Buffer.concat([hexToBytes(FIRST_SEED), FIRST_KEY])),
    },
  })
}

export const NAT = 10n ** 18n
export const anat = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })
export const nat = (amount: number) => anat(BigInt(amount) * NAT)

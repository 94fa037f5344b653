/** Adds accounts and validators to a genesis document. */
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { bytesToHex, bytesToUnprefixedHex } from '../../core/hex.ts'
import { ANAT_PER_NAT, DENOMINATION, DISPLAY_DENOMINATION } from '../../core/amounts.ts'
import { plainBytes } from '../../core/bytes.ts'
import { consensusAddress } from '../../core/signature.ts'
import { cliError, errorText } from '../errors.ts'
import type { GenesisBalance, GenesisCoin, GenesisDocument } from './document.ts'

const MULTIPLES: Readonly<Record<string, bigint>> = { nat: ANAT_PER_NAT, [DENOMINATION]: 1n }

/** Coins such as 1000000nat, 5anat or 5anat,7uother; NAT becomes anat. Throws cli/5. */
export const parseCoins = (text: string): readonly GenesisCoin[] => {
  const seen = new Set<string>()
  return text.split(',').map((item) => {
    const match = /^([0-9]{1,60})([a-zA-Z][a-zA-Z0-9/:._-]{2,127})$/.exec(item.trim())
    if (match === null) {
      throw cliError(
        'genesis',
        `"${item}" is no amount: write 1000000${DISPLAY_DENOMINATION.toLowerCase()} or 5${DENOMINATION}`,
      )
    }
    const [, digits = '', name = ''] = match
    const multiple = MULTIPLES[name === DISPLAY_DENOMINATION ? 'nat' : name]
    const denom = multiple === undefined ? name : DENOMINATION
    if (seen.has(denom)) throw cliError('genesis', `"${text}" names ${denom} twice`)
    seen.add(denom)
    return { denom, amount: (BigInt(digits) * (multiple ?? 1n)).toString() }
  })
}

const sumSupply = (balances: readonly GenesisBalance[]): readonly GenesisCoin[] => {
  const sums = new Map<string, bigint>()
  for (const { coins } of balances) {
    for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount))
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, amount]) => ({ denom, amount: amount.toString() }))
}

/** `address` as 0x... or nat1...; the supply follows. Throws cli/5 for a duplicate. */
export const addAccount = (document: GenesisDocument, address: string, amount: string): GenesisDocument => {
  let key: string
  try {
    key = bytesToHex(parseAccountAddress(address))
  } catch (error) {
    throw cliError('genesis', errorText(error))
  }
  const { bank } = document.app_state
  const isSame = (balance: GenesisBalance): boolean => bytesToHex(parseAccountAddress(balance.address)) === key
  if (bank.balances.some(isSame)) {
    throw cliError('genesis', `account ${key} (${encodeBech32(parseAccountAddress(key))}) is in the genesis already`)
  }
  const balances = [...bank.balances, { address: key, coins: parseCoins(amount) }]
  return { ...document, app_state: { ...document.app_state, bank: { ...bank, balances, supply: sumSupply(balances) } } }
}

/** `publicKey` in base64, as priv_validator_key.json has it. */
export const addValidator = (
  document: GenesisDocument,
  publicKey: string,
  power: number,
  name: string,
): GenesisDocument => {
  const address = bytesToUnprefixedHex(consensusAddress(plainBytes(Buffer.from(publicKey, 'base64')))).toUpperCase()
  const validators = document.validators ?? []
  if (validators.some((validator) => validator.pub_key.value === publicKey)) {
    throw cliError('genesis', `validator ${address} is in the genesis already`)
  }
  const added = {
    address,
    pub_key: { type: 'tendermint/PubKeyEd25519', value: publicKey },
    power: power.toString(),
    name,
  }
  return { ...document, validators: [...validators, added] }
}

/** 0x400: addresses of Ethereum as bech32 and back. Computes only. */
import { ADDRESS_LENGTH } from '../../core/address.ts'
import { BECH32_PREFIX } from '../../core/amounts.ts'
import { decodeBech32, encodeBech32 } from '../../core/bech32.ts'
import { address, string } from './abi/types.ts'
import { refuseCall } from './errors.ts'
import { BECH32_GAS } from './gas.ts'
import { conversion, definePrecompile } from './precompile.ts'

/** Lower case, without the separator; with an address behind it the text has at most 90 characters. */
const PREFIX = /^[!-02-@[-~]{1,51}$/

const hexToBech32 = conversion(
  'hexToBech32',
  { addr: address, prefix: string },
  { bech32Address: string },
  BECH32_GAS,
  ({ addr, prefix }) => {
    if (!PREFIX.test(prefix)) {
      const known = ['', 'valoper', 'valcons'].map((suffix) => BECH32_PREFIX + suffix).join(', ')
      throw refuseCall(
        `invalid bech32 human readable prefix (HRP). Please provide a either an account, validator or consensus address prefix (eg: ${known})`,
      )
    }
    return { bech32Address: encodeBech32(addr, prefix) }
  },
)

/** Addresses of another length are refused: cut to twenty bytes they would be somebody else's. */
const bech32ToHex = conversion(
  'bech32ToHex',
  { bech32Address: string },
  { addr: address },
  BECH32_GAS,
  ({ bech32Address }) => {
    const end = bech32Address.lastIndexOf('1')
    if (end <= 0) throw refuseCall(`invalid bech32 address: ${bech32Address.slice(0, 100)}`)
    const addr = decodeBech32(bech32Address, bech32Address.slice(0, end))
    if (addr.length !== ADDRESS_LENGTH) {
      throw refuseCall(`invalid bech32 address: it holds ${addr.length} bytes, an address has ${ADDRESS_LENGTH}`)
    }
    return { addr }
  },
)

export const bech32Precompile = definePrecompile('bech32', 0x400, [], [hexToBech32, bech32ToHex])

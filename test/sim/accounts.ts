/** Accounts of viem that sign as the node's tools do: viem's own signer takes fifteen times as long for the same bytes. */
import { keccak256, serializeTransaction, type Signature } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { signDigest } from '../../core/signature.ts'

/** viem prepares and serialises what is signed. */
export const makeAccount = (privateKey: Hex): PrivateKeyAccount => {
  const key = hexToBytes(privateKey)
  const signHash = (hash: Hex): Signature & { readonly yParity: number } => {
    const { r, s, yParity } = signDigest(hexToBytes(hash), key)
    return { r: bytesToHex(r), s: bytesToHex(s), v: 27n + BigInt(yParity), yParity }
  }
  const signTransaction: PrivateKeyAccount['signTransaction'] = async (transaction, options) => {
    const serialize = options?.serializer ?? serializeTransaction
    return await serialize(transaction, signHash(keccak256(await serialize(transaction))))
  }
  const sign: PrivateKeyAccount['sign'] = async ({ hash }) => {
    const { r, s, yParity } = signHash(hash)
    return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`
  }
  return { ...privateKeyToAccount(privateKey), sign, signTransaction }
}

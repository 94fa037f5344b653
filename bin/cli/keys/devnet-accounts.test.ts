import { expect, it } from 'vitest'
import { mnemonicToAccount } from 'viem/accounts'
import { hexToBytes } from '../../../core/hex.ts'
import { DEVNET_MNEMONIC, devnetAccounts, keyNotice } from './devnet-accounts.ts'

it('the accounts of the devnet are those that wallets derive', () => {
  const addresses = Array.from(
    { length: 10 },
    (_, addressIndex) => mnemonicToAccount(DEVNET_MNEMONIC, { addressIndex }).address,
  )
  expect(devnetAccounts().map(({ address }) => address)).toEqual(addresses)
})

it('whoever makes a key is told that devnet and testnet share an EVM chain id, and warned of the keys of everyone', () => {
  for (const { address } of devnetAccounts()) {
    expect(keyNotice(hexToBytes(address))).toMatch(/^WARNING: everyone knows this key/)
  }
  const notice = keyNotice(new Uint8Array(20).fill(1))
  expect(notice).toContain('what a key signs for one runs on the other too. Use another key for each.')
  expect(notice).not.toContain('WARNING')
})

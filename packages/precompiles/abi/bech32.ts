export const bech32Abi = [
  {
    type: 'function',
    name: 'bech32ToHex',
    inputs: [{ name: 'bech32Address', type: 'string' }],
    outputs: [{ name: 'addr', type: 'address' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'hexToBech32',
    inputs: [
      { name: 'addr', type: 'address' },
      { name: 'prefix', type: 'string' },
    ],
    outputs: [{ name: 'bech32Address', type: 'string' }],
    stateMutability: 'nonpayable',
  },
] as const

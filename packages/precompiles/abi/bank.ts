export const bankAbi = [
  {
    type: 'function',
    name: 'balances',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [
      {
        name: 'balances',
        type: 'tuple[]',
        components: [
          { name: 'contractAddress', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'supplyOf',
    inputs: [{ name: 'erc20Address', type: 'address' }],
    outputs: [{ name: 'totalSupply', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'totalSupply',
    inputs: [],
    outputs: [
      {
        name: 'totalSupply',
        type: 'tuple[]',
        components: [
          { name: 'contractAddress', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
] as const

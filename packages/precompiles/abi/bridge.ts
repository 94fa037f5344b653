export const bridgeAbi = [
  {
    type: 'event',
    name: 'Withdrawal',
    inputs: [
      { name: 'id', type: 'uint32', indexed: true },
      { name: 'sender', type: 'address', indexed: true },
      { name: 'recipient', type: 'address', indexed: true },
      { name: 'denom', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'function',
    name: 'getParams',
    inputs: [],
    outputs: [
      {
        name: 'params',
        type: 'tuple',
        components: [
          { name: 'chainId', type: 'uint64' },
          { name: 'externalContract', type: 'address' },
          { name: 'denom', type: 'string' },
          { name: 'withdrawLimit', type: 'uint256' },
          { name: 'isPaused', type: 'bool' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'getWithdrawal',
    inputs: [{ name: 'id', type: 'uint32' }],
    outputs: [
      {
        name: 'withdrawal',
        type: 'tuple',
        components: [
          { name: 'sender', type: 'address' },
          { name: 'recipient', type: 'address' },
          { name: 'amount', type: 'uint256' },
          { name: 'denom', type: 'string' },
          { name: 'height', type: 'uint64' },
          { name: 'isSigned', type: 'bool' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'withdraw',
    inputs: [
      { name: 'recipient', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'id', type: 'uint32' }],
    stateMutability: 'nonpayable',
  },
] as const

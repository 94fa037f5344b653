export const converterAbi = [
  {
    type: 'event',
    name: 'Deposit',
    inputs: [
      {
        name: 'token',
        type: 'address',
        indexed: true,
      },
      {
        name: 'sender',
        type: 'address',
        indexed: true,
      },
      {
        name: 'receiver',
        type: 'address',
        indexed: true,
      },
      {
        name: 'amount',
        type: 'uint256',
        indexed: false,
      },
      {
        name: 'credited',
        type: 'uint256',
        indexed: false,
      },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'Withdraw',
    inputs: [
      {
        name: 'token',
        type: 'address',
        indexed: true,
      },
      {
        name: 'sender',
        type: 'address',
        indexed: true,
      },
      {
        name: 'receiver',
        type: 'address',
        indexed: true,
      },
      {
        name: 'amount',
        type: 'uint256',
        indexed: false,
      },
    ],
    anonymous: false,
  },
  {
    type: 'function',
    name: 'deposit',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
      {
        name: 'amount',
        type: 'uint256',
      },
      {
        name: 'receiver',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'credited',
        type: 'uint256',
      },
    ],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'withdraw',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
      {
        name: 'amount',
        type: 'uint256',
      },
      {
        name: 'receiver',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'success',
        type: 'bool',
      },
    ],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'registerToken',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'denom',
        type: 'string',
      },
    ],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'registerView',
    inputs: [
      {
        name: 'denom',
        type: 'string',
      },
    ],
    outputs: [
      {
        name: 'view',
        type: 'address',
      },
    ],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'getToken',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'info',
        type: 'tuple',
        components: [
          {
            name: 'denom',
            type: 'string',
          },
          {
            name: 'name',
            type: 'string',
          },
          {
            name: 'symbol',
            type: 'string',
          },
          {
            name: 'decimals',
            type: 'uint8',
          },
          {
            name: 'depositsEnabled',
            type: 'bool',
          },
          {
            name: 'booked',
            type: 'uint256',
          },
          {
            name: 'measured',
            type: 'uint256',
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'denomOf',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'denom',
        type: 'string',
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'viewOf',
    inputs: [
      {
        name: 'denom',
        type: 'string',
      },
    ],
    outputs: [
      {
        name: 'view',
        type: 'address',
      },
      {
        name: 'registered',
        type: 'bool',
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'coinsOf',
    inputs: [
      {
        name: 'token',
        type: 'address',
      },
      {
        name: 'account',
        type: 'address',
      },
    ],
    outputs: [
      {
        name: 'amount',
        type: 'uint256',
      },
    ],
    stateMutability: 'view',
  },
] as const

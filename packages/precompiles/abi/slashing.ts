export const slashingAbi = [
  {
    type: 'event',
    name: 'ValidatorUnjailed',
    inputs: [{ name: 'validator', type: 'address', indexed: true }],
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
          { name: 'signedBlocksWindow', type: 'int64' },
          {
            name: 'minSignedPerWindow',
            type: 'tuple',
            components: [
              { name: 'value', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
          { name: 'downtimeJailDuration', type: 'int64' },
          {
            name: 'slashFractionDoubleSign',
            type: 'tuple',
            components: [
              { name: 'value', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
          {
            name: 'slashFractionDowntime',
            type: 'tuple',
            components: [
              { name: 'value', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'getSigningInfo',
    inputs: [{ name: 'consAddress', type: 'address' }],
    outputs: [
      {
        name: 'signingInfo',
        type: 'tuple',
        components: [
          { name: 'validatorAddress', type: 'address' },
          { name: 'startHeight', type: 'int64' },
          { name: 'indexOffset', type: 'int64' },
          { name: 'jailedUntil', type: 'int64' },
          { name: 'tombstoned', type: 'bool' },
          { name: 'missedBlocksCounter', type: 'int64' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'getSigningInfos',
    inputs: [
      {
        name: 'pagination',
        type: 'tuple',
        components: [
          { name: 'key', type: 'bytes' },
          { name: 'offset', type: 'uint64' },
          { name: 'limit', type: 'uint64' },
          { name: 'countTotal', type: 'bool' },
          { name: 'reverse', type: 'bool' },
        ],
      },
    ],
    outputs: [
      {
        name: 'signingInfos',
        type: 'tuple[]',
        components: [
          { name: 'validatorAddress', type: 'address' },
          { name: 'startHeight', type: 'int64' },
          { name: 'indexOffset', type: 'int64' },
          { name: 'jailedUntil', type: 'int64' },
          { name: 'tombstoned', type: 'bool' },
          { name: 'missedBlocksCounter', type: 'int64' },
        ],
      },
      {
        name: 'pageResponse',
        type: 'tuple',
        components: [
          { name: 'nextKey', type: 'bytes' },
          { name: 'total', type: 'uint64' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'unjail',
    inputs: [{ name: 'validatorAddress', type: 'address' }],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
] as const

export const distributionAbi = [
  {
    type: 'event',
    name: 'ClaimRewards',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'DepositValidatorRewardsPool',
    inputs: [
      { name: 'depositor', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'denom', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'FundCommunityPool',
    inputs: [
      { name: 'depositor', type: 'address', indexed: true },
      { name: 'denom', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'SetWithdrawerAddress',
    inputs: [
      { name: 'caller', type: 'address', indexed: true },
      { name: 'withdrawerAddress', type: 'string', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'WithdrawDelegatorReward',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'WithdrawValidatorCommission',
    inputs: [
      { name: 'validatorAddress', type: 'string', indexed: true },
      { name: 'commission', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'function',
    name: 'claimRewards',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'maxRetrieve', type: 'uint32' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'communityPool',
    inputs: [],
    outputs: [
      {
        name: 'coins',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
          { name: 'precision', type: 'uint8' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'delegationRewards',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
    ],
    outputs: [
      {
        name: 'rewards',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
          { name: 'precision', type: 'uint8' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'delegationTotalRewards',
    inputs: [{ name: 'delegatorAddress', type: 'address' }],
    outputs: [
      {
        name: 'rewards',
        type: 'tuple[]',
        components: [
          { name: 'validatorAddress', type: 'string' },
          {
            name: 'reward',
            type: 'tuple[]',
            components: [
              { name: 'denom', type: 'string' },
              { name: 'amount', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
        ],
      },
      {
        name: 'total',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
          { name: 'precision', type: 'uint8' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'delegatorValidators',
    inputs: [{ name: 'delegatorAddress', type: 'address' }],
    outputs: [{ name: 'validators', type: 'string[]' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'delegatorWithdrawAddress',
    inputs: [{ name: 'delegatorAddress', type: 'address' }],
    outputs: [{ name: 'withdrawAddress', type: 'string' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'depositValidatorRewardsPool',
    inputs: [
      { name: 'depositor', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
      {
        name: 'amount',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'fundCommunityPool',
    inputs: [
      { name: 'depositor', type: 'address' },
      {
        name: 'amount',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'setWithdrawAddress',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'withdrawerAddress', type: 'string' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'validatorCommission',
    inputs: [{ name: 'validatorAddress', type: 'string' }],
    outputs: [
      {
        name: 'commission',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
          { name: 'precision', type: 'uint8' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'validatorDistributionInfo',
    inputs: [{ name: 'validatorAddress', type: 'string' }],
    outputs: [
      {
        name: 'distributionInfo',
        type: 'tuple',
        components: [
          { name: 'operatorAddress', type: 'string' },
          {
            name: 'selfBondRewards',
            type: 'tuple[]',
            components: [
              { name: 'denom', type: 'string' },
              { name: 'amount', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
          {
            name: 'commission',
            type: 'tuple[]',
            components: [
              { name: 'denom', type: 'string' },
              { name: 'amount', type: 'uint256' },
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
    name: 'validatorOutstandingRewards',
    inputs: [{ name: 'validatorAddress', type: 'string' }],
    outputs: [
      {
        name: 'rewards',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
          { name: 'precision', type: 'uint8' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'validatorSlashes',
    inputs: [
      { name: 'validatorAddress', type: 'string' },
      { name: 'startingHeight', type: 'uint64' },
      { name: 'endingHeight', type: 'uint64' },
      {
        name: 'pageRequest',
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
        name: 'slashes',
        type: 'tuple[]',
        components: [
          { name: 'validatorPeriod', type: 'uint64' },
          {
            name: 'fraction',
            type: 'tuple',
            components: [
              { name: 'value', type: 'uint256' },
              { name: 'precision', type: 'uint8' },
            ],
          },
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
    name: 'withdrawDelegatorRewards',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
    ],
    outputs: [
      {
        name: 'amount',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'withdrawValidatorCommission',
    inputs: [{ name: 'validatorAddress', type: 'string' }],
    outputs: [
      {
        name: 'amount',
        type: 'tuple[]',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'nonpayable',
  },
] as const

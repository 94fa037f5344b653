export const stakingAbi = [
  {
    type: 'event',
    name: 'CancelUnbondingDelegation',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
      { name: 'creationHeight', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'CreateValidator',
    inputs: [
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'value', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'Delegate',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
      { name: 'newShares', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'EditValidator',
    inputs: [
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'commissionRate', type: 'int256', indexed: false },
      { name: 'minSelfDelegation', type: 'int256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'Redelegate',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'validatorSrcAddress', type: 'address', indexed: true },
      { name: 'validatorDstAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
      { name: 'completionTime', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'Unbond',
    inputs: [
      { name: 'delegatorAddress', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'address', indexed: true },
      { name: 'amount', type: 'uint256', indexed: false },
      { name: 'completionTime', type: 'uint256', indexed: false },
    ],
    anonymous: false,
  },
  {
    type: 'function',
    name: 'cancelUnbondingDelegation',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
      { name: 'creationHeight', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'createValidator',
    inputs: [
      {
        name: 'description',
        type: 'tuple',
        components: [
          { name: 'moniker', type: 'string' },
          { name: 'identity', type: 'string' },
          { name: 'website', type: 'string' },
          { name: 'securityContact', type: 'string' },
          { name: 'details', type: 'string' },
        ],
      },
      {
        name: 'commissionRates',
        type: 'tuple',
        components: [
          { name: 'rate', type: 'uint256' },
          { name: 'maxRate', type: 'uint256' },
          { name: 'maxChangeRate', type: 'uint256' },
        ],
      },
      { name: 'minSelfDelegation', type: 'uint256' },
      { name: 'validatorAddress', type: 'address' },
      { name: 'pubkey', type: 'string' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'delegate',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'delegation',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
    ],
    outputs: [
      { name: 'shares', type: 'uint256' },
      {
        name: 'balance',
        type: 'tuple',
        components: [
          { name: 'denom', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'editValidator',
    inputs: [
      {
        name: 'description',
        type: 'tuple',
        components: [
          { name: 'moniker', type: 'string' },
          { name: 'identity', type: 'string' },
          { name: 'website', type: 'string' },
          { name: 'securityContact', type: 'string' },
          { name: 'details', type: 'string' },
        ],
      },
      { name: 'validatorAddress', type: 'address' },
      { name: 'commissionRate', type: 'int256' },
      { name: 'minSelfDelegation', type: 'int256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'redelegate',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorSrcAddress', type: 'string' },
      { name: 'validatorDstAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'completionTime', type: 'int64' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'redelegation',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'srcValidatorAddress', type: 'string' },
      { name: 'dstValidatorAddress', type: 'string' },
    ],
    outputs: [
      {
        name: 'redelegation',
        type: 'tuple',
        components: [
          { name: 'delegatorAddress', type: 'string' },
          { name: 'validatorSrcAddress', type: 'string' },
          { name: 'validatorDstAddress', type: 'string' },
          {
            name: 'entries',
            type: 'tuple[]',
            components: [
              { name: 'creationHeight', type: 'int64' },
              { name: 'completionTime', type: 'int64' },
              { name: 'initialBalance', type: 'uint256' },
              { name: 'sharesDst', type: 'uint256' },
            ],
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'redelegations',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'srcValidatorAddress', type: 'string' },
      { name: 'dstValidatorAddress', type: 'string' },
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
        name: 'response',
        type: 'tuple[]',
        components: [
          {
            name: 'redelegation',
            type: 'tuple',
            components: [
              { name: 'delegatorAddress', type: 'string' },
              { name: 'validatorSrcAddress', type: 'string' },
              { name: 'validatorDstAddress', type: 'string' },
              {
                name: 'entries',
                type: 'tuple[]',
                components: [
                  { name: 'creationHeight', type: 'int64' },
                  { name: 'completionTime', type: 'int64' },
                  { name: 'initialBalance', type: 'uint256' },
                  { name: 'sharesDst', type: 'uint256' },
                ],
              },
            ],
          },
          {
            name: 'entries',
            type: 'tuple[]',
            components: [
              {
                name: 'redelegationEntry',
                type: 'tuple',
                components: [
                  { name: 'creationHeight', type: 'int64' },
                  { name: 'completionTime', type: 'int64' },
                  { name: 'initialBalance', type: 'uint256' },
                  { name: 'sharesDst', type: 'uint256' },
                ],
              },
              { name: 'balance', type: 'uint256' },
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
    name: 'unbondingDelegation',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
    ],
    outputs: [
      {
        name: 'unbondingDelegation',
        type: 'tuple',
        components: [
          { name: 'delegatorAddress', type: 'string' },
          { name: 'validatorAddress', type: 'string' },
          {
            name: 'entries',
            type: 'tuple[]',
            components: [
              { name: 'creationHeight', type: 'int64' },
              { name: 'completionTime', type: 'int64' },
              { name: 'initialBalance', type: 'uint256' },
              { name: 'balance', type: 'uint256' },
              { name: 'unbondingId', type: 'uint64' },
              { name: 'unbondingOnHoldRefCount', type: 'int64' },
            ],
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'undelegate',
    inputs: [
      { name: 'delegatorAddress', type: 'address' },
      { name: 'validatorAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'completionTime', type: 'int64' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'validator',
    inputs: [{ name: 'validatorAddress', type: 'address' }],
    outputs: [
      {
        name: 'validator',
        type: 'tuple',
        components: [
          { name: 'operatorAddress', type: 'string' },
          { name: 'consensusPubkey', type: 'string' },
          { name: 'jailed', type: 'bool' },
          { name: 'status', type: 'uint8' },
          { name: 'tokens', type: 'uint256' },
          { name: 'delegatorShares', type: 'uint256' },
          {
            name: 'description',
            type: 'tuple',
            components: [
              { name: 'moniker', type: 'string' },
              { name: 'identity', type: 'string' },
              { name: 'website', type: 'string' },
              { name: 'securityContact', type: 'string' },
              { name: 'details', type: 'string' },
            ],
          },
          { name: 'unbondingHeight', type: 'int64' },
          { name: 'unbondingTime', type: 'int64' },
          { name: 'commission', type: 'uint256' },
          { name: 'minSelfDelegation', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'validators',
    inputs: [
      { name: 'status', type: 'string' },
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
        name: 'validators',
        type: 'tuple[]',
        components: [
          { name: 'operatorAddress', type: 'string' },
          { name: 'consensusPubkey', type: 'string' },
          { name: 'jailed', type: 'bool' },
          { name: 'status', type: 'uint8' },
          { name: 'tokens', type: 'uint256' },
          { name: 'delegatorShares', type: 'uint256' },
          {
            name: 'description',
            type: 'tuple',
            components: [
              { name: 'moniker', type: 'string' },
              { name: 'identity', type: 'string' },
              { name: 'website', type: 'string' },
              { name: 'securityContact', type: 'string' },
              { name: 'details', type: 'string' },
            ],
          },
          { name: 'unbondingHeight', type: 'int64' },
          { name: 'unbondingTime', type: 'int64' },
          { name: 'commission', type: 'uint256' },
          { name: 'minSelfDelegation', type: 'uint256' },
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
] as const

/** Why replies differ from those of evmd where they do, by their titles: the first that fits. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/: (a send|a deposit) of nothing$|: no weights$/, 'an empty list is not written as Go writes it'],
  [/no input$/, 'a transaction whose message has no signer is malformed here'],
  [/out of gas$|too little gas/, 'the place where gas ran out is named otherwise: gas is another too'],
  [/no gas$/, 'gas of zero is said to be so'],
  [/short key$/, 'a key of a wrong length is refused as a key, and not taken from anybody'],
  [
    /for nothing$|cancelled again$|\/deposits\/nat1|a vote on nothing/,
    'a code and words of gov, where the SDK shows its database',
  ],
  [/fee/, 'the words of a refused fee are those of the older SDK, or evmd takes the transaction'],
  [/^check: a .*signature$/, 'the words of a bad signature'],
  [
    /^check: (a broken message|a critical field|bytes of nothing|half of it|an unknown message|a message that is none)/,
    'the words of a decoder',
  ],
  [/AuthInfo$|a text proposal$|proposals\/6$/, 'evmd panics'],
  [/\/simulate/, 'simulation without a signature is allowed, and its errors name no place in the source'],
  [
    /\/decode no transaction|without a mode|block mode|\/txs\/|\/txs\?query|\/txs$|GetTx|GetBlockWithTxs|blocks\/|validatorsets\/0|at height|evidence\/x|pagination\.key/,
    'a request that is wrong is an invalid argument (400), where evmd answers an internal error',
  ],
  [/unknown (mode|member)|bad base64|pagination.key=!/, 'JSON is read strictly, and refused in other words'],
  [/\/bech32\//, 'an address has 20 bytes'],
  [
    /delegators\/.*\/(validators|redelegations)/,
    'what is not there is not found (404), where evmd answers an internal error',
  ],
  [/events=/, 'the older form of a search is taken too'],
  [/=nonsense/, 'enums are named in full'],
  [/proposal_status=/, 'statuses may be given by name in v1beta1 too'],
  [/slashes\?starting/, 'the address is looked at before the heights'],
  [/module_versions/, 'modules have versions of their own'],
  [
    /consensus\/v1\/params|block_results/,
    'vote extensions are on, the version and authority are not parameters here, and blocks have events of their own',
  ],
  [/block_gas/, 'not in the state: block_results has it'],
  [/node\/v1beta1|Service\/Config/, 'pruning is set otherwise, and a node knows other things of itself'],
  [/\/\/params/, 'a path is taken as it is'],
  [
    /tendermint\/v1beta1\/(blocks|validatorsets)|txs\/block/,
    'the version of the application is 1, and one wording serves all',
  ],
  [/^abci_query \/(app|store|p2p)/, 'of the paths of baseapp only /store/{module}/key is served'],
  [/^abci_query/, 'a request that does not decode is said to be malformed'],
  [/Query\/Balance/, 'an error with words'],
  [
    /block_bloom|events? of (a )?block/,
    'the EVM says these things in its own header, and rewards are settled lazily (ADR 021)',
  ],
]

export const reasonFor = (title: string): string | undefined => REASONS.find(([pattern]) => pattern.test(title))?.[1]

/**
 * How the commands of the pages are run: which of them need a home, a file before them or another end than success, and
 * which cannot be run on a machine of tests, with the reason. A command that is not named here is run as it stands, with
 * what `blanks.ts` puts into its blanks.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { repository } from '../harness.ts'
import { account, native } from './blanks.ts'
import { fencesOf } from './page-commands.ts'
import type { Lane } from './world.ts'

type Text = string | ((lane: Lane) => string | Promise<string>)

export interface Plan {
  /** Why the command is not run as it stands: what the machine of a test has not, or must not do. */
  readonly notRun?: string
  /** What is run in its place; nothing where it is left out beside `notRun`. */
  readonly instead?: Text
  /** Run before it, as commands that the page does not show. */
  readonly before?: Text
  /** The home of this command and of those after it on the page: a folder of the lane. */
  readonly home?: string
  /** It is refused, and says this. */
  readonly refused?: RegExp
  /** It goes on until its fence ends, and is ready when the node answers, or when it has written this. */
  readonly runs?: 'node' | RegExp
  /** A program that not every machine has: without it the command is skipped, and the reason printed. */
  readonly needs?: string
}

export type LaneName = 'devnet' | 'nodes'

interface Page {
  readonly lane: LaneName
  /** The home at the beginning of the page; a reader who only has the devnet when left out. */
  readonly home?: string
  readonly plans: Readonly<Record<string, Plan>>
}

/** What a node says when all of its processes run; it need not follow the others yet. */
const STARTED = /gateway started/

const LONG = 'it takes minutes, and is run by itself'
const ROOT = 'it needs root, and changes the machine'
const FOUNDRY = 'forge and cast are no packages of npm'

const README: Page = {
  lane: 'nodes',
  home: 'readme',
  plans: {
    'make devnet': { notRun: 'all pages share one devnet, which the test has started by this command' },
    'make test': { notRun: LONG, instead: 'make --dry-run test' },
    './chain start': { runs: 'node' },
  },
}

const CONTRIBUTING: Page = {
  lane: 'nodes',
  plans: {
    'make check': { notRun: LONG, instead: 'make --dry-run check' },
    'make format': { notRun: 'it writes to the sources', instead: 'make --dry-run format' },
    'scripts/run.sh vitest run app/pool': {
      notRun: LONG,
      instead: 'scripts/run.sh vitest list --filesOnly app/pool | grep --count pool',
    },
    "scripts/run.sh vitest run app/pool/pool.test.ts -t 'replacement'": {
      notRun: LONG,
      instead: "grep --quiet 'replacement' app/pool/pool.test.ts",
    },
    'make test-units': { notRun: LONG, instead: 'make --dry-run test-units' },
    'make test': { notRun: LONG, instead: 'make --dry-run test' },
    'make test-complete': { notRun: LONG, instead: 'make --dry-run test-complete' },
    "SEED=3 scripts/run.sh vitest run test/sim/agreement.test.ts -t 'agree on every block'": {
      notRun: LONG,
      instead: "grep --quiet 'agree on every block' test/sim/agreement.test.ts",
    },
  },
}

const QUICK_START: Page = {
  lane: 'nodes',
  plans: {
    'make devnet': { notRun: 'all pages share one devnet, which the test has started by this command' },
    './chain start --home /tmp/second --rpc.laddr tcp://127.0.0.1:27657 --p2p.laddr tcp://127.0.0.1:27656 --json-rpc.address 127.0.0.1:9545 --json-rpc.ws-address 127.0.0.1:9546 --api.address 127.0.0.1:2317 --grpc.address 127.0.0.1:9190':
      { runs: 'node' },
  },
}

const BACKUP: Page = {
  lane: 'nodes',
  home: 'readme',
  plans: {
    'tar --create --file keys.tar --directory /var/lib/nat-chain config keyring': {
      before: 'chain keys add back-up --light && ln -s "$HOME/.nat-chain" /var/lib/nat-chain',
    },
  },
}

const FULL_NODE: Page = {
  lane: 'nodes',
  plans: {
    'chain join http://node-1:26657': { home: 'full-1' },
    'chain join http://node-1:26657 http://node-2:26657 --state-sync': { home: 'full-2' },
    'chain join http://node-1:26657 && chain snapshot restore nat.snapshot': {
      home: 'full-3',
      before: 'cp /backup/nat.snapshot nat.snapshot',
    },
    'useradd --system --home-dir /var/lib/nat-chain nat-chain': { notRun: ROOT },
    'git clone <repository> /opt/nat-chain && XDG_CACHE_HOME=/var/cache/nat-chain make -C /opt/nat-chain setup': {
      notRun: 'it needs a second host',
      instead: 'make -C /opt/nat-chain setup',
    },
    'install -d -o nat-chain -g nat-chain -m 700 /var/lib/nat-chain': {
      notRun: ROOT,
      instead: 'rm -f /var/lib/nat-chain && install -d -m 700 /var/lib/nat-chain',
    },
    'sudo -u nat-chain /opt/nat-chain/chain join http://node-1:26657 --home /var/lib/nat-chain': {
      notRun: ROOT,
      instead: '/opt/nat-chain/chain join http://node-1:26657 --home /var/lib/nat-chain',
    },
    'systemctl enable --now nat-chain': { notRun: ROOT, instead: 'test -s /etc/systemd/system/nat-chain.service' },
    'journalctl --unit nat-chain --follow': { notRun: ROOT, instead: 'test -s /etc/systemd/system/nat-chain.service' },
  },
}

const UPGRADE: Page = {
  lane: 'nodes',
  home: 'full-1',
  plans: {
    'chain upgrade run start --home /var/lib/nat-chain': { runs: STARTED },
    'git clone --branch <tag> <repository> /opt/nat-chain-next': { notRun: 'it needs a second host' },
  },
}

const MONITORING: Page = {
  lane: 'nodes',
  home: 'readme',
  plans: {
    'chain start --telemetry.enabled true': { runs: STARTED },
    'prometheus --config.file=prometheus.yml --web.listen-address=127.0.0.1:9091': {
      needs: 'prometheus',
      runs: /Server is ready/,
    },
    'chain start --log-level info,consensus:debug,pool:error': { runs: /"level":20|debug/ },
  },
}

const OPERATING: Page = {
  lane: 'nodes',
  plans: {
    'chain join http://<host>:26657': { home: 'joined' },
    'chain start': { runs: 'node' },
    'chain init my-node --chain-id nat-2517-1': { home: 'by-hand' },
    'chain start --p2p.persistent_peers <node_id>@<host>:26656': { runs: 'node' },
    'chain join http://node-1:26657 http://node-2:26657 --state-sync': { home: 'synced' },
    'chain init my-node --chain-id <id>': {
      home: 'exported',
      before: 'HOME=$LANE/joined chain export --output genesis.json',
    },
    'cp genesis.json <home>/config/genesis.json': {
      instead:
        'cp genesis.json <home>/config/genesis.json && cp $DEVNET_HOME/config/priv_validator_key.json <home>/config/',
    },
    'chain genesis validate && chain start': { runs: 'node' },
    'chain snapshot list': { home: 'joined' },
    'chain snapshot export /backup/nat.snapshot': { before: 'rm -f /backup/nat.snapshot' },
    'chain snapshot restore /backup/nat.snapshot': {
      home: 'restored',
      before: 'chain init my-node --chain-id <id> && chain genesis fetch http://<host>:26657',
    },
    'chain init one --chain-id mine-1 --evm-chain-id 77001': { home: 'validator' },
    'chain feed': { home: 'feed', before: 'ln -s $DEVNET_HOME "$HOME/.nat-chain"' },
    'chain feed --from 1000000 --follow': { instead: 'chain feed --from 1 --follow', runs: /"height":/ },
    'chain feed --follow --cursor /var/lib/index/at': { runs: /"height":/ },
    "chain feed --from 7 | jq -c '.height as $at | .transactions[] | [$at, .family, .code, (.receipt.logs // [] | length)]'":
      { needs: 'jq' },
    'chain inspect': { home: 'validator' },
    'chain rollback --hard --height 120000': { instead: 'chain rollback --hard --height 2' },
  },
}

const BRIDGE_DAEMON: Page = {
  lane: 'nodes',
  home: 'readme',
  plans: {
    'chain start --home <dir> --bridge-daemon-eth-rpc-endpoint https://rpc-a.example/key,https://rpc-b.example,http://10.0.0.7:8545':
      { runs: STARTED },
  },
}

const VALIDATOR: Page = {
  lane: 'devnet',
  home: 'operator',
  plans: {
    'chain keys add operator': { before: 'chain join http://node-1:26657' },
    'chain tx staking create-validator --amount 1000nat --moniker "my name" --from operator --wait': {
      before: 'HOME=$LANE chain tx bank send $(chain keys show operator -a) 1100nat --from dev0 --yes --wait',
    },
  },
}

const CLIENTS: Page = {
  lane: 'devnet',
  plans: {
    'forge script script/Deploy.s.sol --rpc-url http://127.0.0.1:8545 --broadcast --private-key $KEY': {
      notRun: FOUNDRY,
    },
    'forge create src/Token.sol:Token --rpc-url http://127.0.0.1:8545 --broadcast --private-key $KEY': {
      notRun: FOUNDRY,
    },
    'anvil --fork-url http://127.0.0.1:8545 --port 8555': { needs: 'anvil', runs: /Listening on/ },
    'cast rpc --rpc-url http://127.0.0.1:8555 evm_increaseTime 2592000': {
      notRun: FOUNDRY,
      needs: 'anvil',
      instead: `curl -sf -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"evm_increaseTime","params":[2592000]}' http://127.0.0.1:8555`,
    },
    'forge test --fork-url http://127.0.0.1:8545': { notRun: FOUNDRY },
  },
}

const PROOFS: Page = {
  lane: 'devnet',
  plans: {
    'chain verify-proof reply-of-eth_getProof.json --state-root <stateRoot of the block>': {
      before: `curl -sf -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["${account(1)}",[],"0x5"]}' http://127.0.0.1:8545 > reply-of-eth_getProof.json`,
    },
  },
}

/** A key that no validator has yet. */
const validatorKey = (): string => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const key = Buffer.from(x, 'base64url').toString('base64')
  return `'{"@type":"/cosmos.crypto.ed25519.PubKey","key":"${key}"}'`
}

/** The height at which the first account began to unbond. */
const unbondingHeight = async (lane: Lane): Promise<string> => {
  interface Unbonding {
    readonly unbonding_responses: readonly { readonly entries: readonly { readonly creation_height: string }[] }[]
  }
  const found = await lane.devnet.rest<Unbonding>(
    `cosmos/staking/v1beta1/delegators/${await native(lane, 0)}/unbonding_delegations`,
  )
  return found.unbonding_responses[0]?.entries[0]?.creation_height ?? 'nothing unbonds'
}

/** The key of `dev`, whom the first account of the devnet gives what the page spends. */
const DEV_KEY = `0x${'5e'.repeat(32)}` as const

/** The page's own proposal. */
const PROPOSE = 'chain tx gov submit-proposal proposal.json --from dev0 --yes --wait'
const writeProposal = (lane: Lane): string => {
  lane.write('proposal.json', fencesOf(readFileSync(join(repository, 'docs/cli.md'), 'utf8'), 'json')[0] ?? '')
  return 'test -s proposal.json'
}

const signOffline = async (lane: Lane): Promise<string> => {
  const { account: held } = await lane.devnet.rest<{ account: { base_account?: Numbers } & Numbers }>(
    `cosmos/auth/v1beta1/accounts/${privateKeyToAccount(DEV_KEY).address}`,
  )
  const { account_number: number, sequence } = held.base_account ?? held
  return `chain tx sign unsigned.json --from dev --offline --chain-id localnat-1 --account-number ${number} --sequence ${sequence} > signed.json`
}
interface Numbers {
  readonly account_number: string
  readonly sequence: string
}

/** The bridge of a devnet has no contract on another chain until governance names one. */
const NO_BRIDGE = /the parameters name no contract/

const CLI: Page = {
  lane: 'devnet',
  plans: {
    'chain keys add alice --recover': {
      instead:
        'echo test test test test test test test test test test test junk | chain keys add recovered --recover --account 7',
    },
    'chain keys import dev dev.hex': { before: `echo ${DEV_KEY} > dev.hex` },
    'chain keys add both --multisig bob,carol --multisig-threshold 2': {
      before: 'chain keys add carol --algo secp256k1',
    },
    'chain keys delete alice': {
      notRun: 'the rest of the page needs alice',
      instead: 'chain keys delete recovered --yes',
    },
    'chain tx staking create-validator --amount 1000nat --moniker NAME --pubkey JSON --commission-rate 0.1': {
      instead: () =>
        `chain tx staking create-validator --amount 1000nat --moniker NAME --pubkey ${validatorKey()} --commission-rate 0.1 --from dev5`,
    },
    'chain tx staking edit-validator --moniker NAME --commission-rate 0.15': {
      instead: 'chain tx staking edit-validator --moniker NAME --commission-rate 0.15 --from dev5',
      refused: /commission cannot be changed more than once in 24h/,
    },
    'chain tx staking cancel-unbond VALIDATOR 10nat HEIGHT': {
      instead: async (lane) => `chain tx staking cancel-unbond VALIDATOR 10nat ${await unbondingHeight(lane)}`,
    },
    'chain tx slashing unjail': { refused: /not jailed/ },
    'chain tx gov submit-proposal proposal.json': { before: writeProposal },
    'chain tx gov vote ID yes': { before: PROPOSE },
    'chain tx bank send alice 0.5nat --from dev': {
      before:
        'for name in dev alice bob carol; do chain tx bank send $name 100nat --from dev0 --yes --wait || exit; done',
    },
    'chain tx bridge withdraw 0xRECIPIENT 5bridge/ether': { refused: NO_BRIDGE },
    'chain tx bridge sign': { refused: NO_BRIDGE },
    'chain query bridge way-back': { refused: NO_BRIDGE },
    'chain query bridge signatures': { refused: NO_BRIDGE },
    'chain query bridge signing-set': { refused: NO_BRIDGE },
    // It makes coins of bob.
    'chain tx erc20 withdraw 0xTOKEN 1500000 --to bob': {
      instead: 'chain tx erc20 withdraw 0xTOKEN 1500000 --to bob --from bob',
    },
    // The order that takes the place of another has no client id unless it is given one.
    'chain tx clob cancel MARKET ORDER': {
      before: 'chain tx clob place MARKET buy SIZE PRICE --client-id 0x0a --from dev0 --yes --wait',
    },
    'chain tx clob schedule-cancel SECONDS': {
      before: 'chain tx clob place MARKET buy SIZE PRICE --from dev0 --yes --wait',
    },
    'chain tx sign unsigned.json --from dev --offline --chain-id localnat-1 --account-number 33316376763259 --sequence 8 > signed.json':
      { instead: signOffline },
    'chain tx decode CpEBCo4B...': { instead: 'chain tx decode $(chain tx encode signed.json)' },
    'chain tx bank send alice 1nat --from both --generate-only > unsigned.json': {
      before: 'chain tx bank send both 5nat --from dev0 --yes --wait',
    },
    'chain query bank balances alice': {
      before:
        'chain tx staking delegate VALIDATOR 1nat --from alice --yes --wait && chain tx staking unbond VALIDATOR 0.1nat --from alice --yes --wait',
    },
    'chain query bridge event 7': { refused: /not found|no event/ },
    'chain query bridge withdrawal 7': { refused: /not found|no withdrawal/ },
    'chain query bridge proof 7': { refused: /not found|no withdrawal/ },
    'chain clob audit --from 100 --to 200 --node http://127.0.0.1:26657 --trusted-hash <hash of header 100>': {
      instead:
        'chain clob audit --from 100 --to 200 --node http://127.0.0.1:26657 --json-rpc http://127.0.0.1:8545 --trusted-hash <hash of header 100>',
    },
    'chain genesis gentx alice 500nat --moniker one --ip 203.0.113.7': {
      home: 'genesis',
      before:
        'chain init one --chain-id mine-1 --evm-chain-id 77001 && chain keys add alice --light && chain genesis add-account $(chain keys show alice -a) 1000nat',
    },
    'chain genesis add-validator --operator nat1...': {
      home: 'genesis-alone',
      before: 'chain init one --chain-id mine-1 --evm-chain-id 77001 && chain genesis add-account nat1... 1000nat',
    },
  },
}

const AUDIT: Page = {
  lane: 'devnet',
  plans: {
    'python3 test/audit vectors': {
      notRun: 'test/e2e/clob-audit.test.ts runs it',
      needs: 'python3',
      instead: 'python3 test/audit run --help',
    },
    'python3 test/audit run --from 100 --to 200 --comet http://127.0.0.1:26657 --eth http://127.0.0.1:8545 --trusted-hash <hash of header 100>':
      { needs: 'python3' },
  },
}

/** In the order in which they are run. */
export const PAGES: Readonly<Record<string, Page>> = {
  'README.md': README,
  'docs/guides/quick-start.md': QUICK_START,
  'docs/guides/backup.md': BACKUP,
  'docs/guides/full-node.md': FULL_NODE,
  'docs/guides/upgrade.md': UPGRADE,
  'docs/operating.md': OPERATING,
  'docs/monitoring.md': MONITORING,
  'docs/bridge-daemon.md': BRIDGE_DAEMON,
  'CONTRIBUTING.md': CONTRIBUTING,
  'docs/guides/validator.md': VALIDATOR,
  'docs/cli.md': CLI,
  'docs/clients.md': CLIENTS,
  'docs/proofs.md': PROOFS,
  'test/audit/README.md': AUDIT,
}

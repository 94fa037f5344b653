/** `--public`: what a node that everybody may call should have in the place of the defaults, which suit one that few know. */
import { SETTINGS, type SettingKey, type Settings } from './settings.ts'

/** A page of a wallet asks some fifty calls at once, which cost 20 units each, and then a few a second. */
export const PUBLIC_VALUES: Partial<Settings> = {
  'json-rpc.api': ['eth', 'net', 'web3'],
  'json-rpc.evm-timeout': 2_000,
  'json-rpc.batch-request-limit': 100,
  'json-rpc.rate-limit': 500,
  'json-rpc.rate-limit-burst': 5_000,
  'json-rpc.ws-connections-by-client': 32,
  'json-rpc.ws-messages-by-client': 100,
  'json-rpc.ws-subscription-limit': 100,
  'json-rpc.http-origins': ['*'],
  'json-rpc.ws-origins': ['*'],
  'api.cors-allowed-origins': ['*'],
}

const isDefault = (key: SettingKey, value: unknown): boolean =>
  JSON.stringify(SETTINGS[key].kind.toToml(value as never)) ===
  JSON.stringify(SETTINGS[key].kind.toToml(SETTINGS[key].fallback as never))

/**
 * A flag and the environment stay as they are, and so does what app.toml has changed: it names every setting, so one with
 * the default is taken for one that nobody has thought about.
 */
export const publicValue = (key: SettingKey, value: unknown): unknown =>
  Object.hasOwn(PUBLIC_VALUES, key) && isDefault(key, value) ? PUBLIC_VALUES[key] : value

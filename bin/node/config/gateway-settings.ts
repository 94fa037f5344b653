/** The settings of app.toml that a gateway reads, in its own words. */
import { formatHostPort } from '../../../core/host-port.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../../../rpc/settings.ts'
import { VERSION } from '../../version.ts'
import type { Settings } from './settings.ts'

export const toGatewaySettings = (settings: Settings): GatewaySettings => {
  const serves = settings['json-rpc.enable']
  const rateLimit = settings['json-rpc.rate-limit']
  return {
    ...GATEWAY_DEFAULTS,
    address: serves ? formatHostPort(settings['json-rpc.address']) : undefined,
    wsAddress: serves ? formatHostPort(settings['json-rpc.ws-address']) : undefined,
    restAddress: settings['api.enable'] ? formatHostPort(settings['api.address']) : undefined,
    grpcAddress: settings['grpc.enable'] ? formatHostPort(settings['grpc.address']) : undefined,
    api: settings['json-rpc.api'],
    version: `nat-chain/v${VERSION}`,
    batchRequestLimit: settings['json-rpc.batch-request-limit'],
    batchResponseMaxSize: settings['json-rpc.batch-response-max-size'],
    httpBodyLimit: settings['json-rpc.http-body-limit'],
    httpTimeoutMs: settings['json-rpc.http-timeout'],
    httpIdleTimeoutMs: settings['json-rpc.http-idle-timeout'],
    maxOpenConnections: settings['json-rpc.max-open-connections'],
    corsOrigins: settings['json-rpc.http-origins'],
    wsOrigins: settings['json-rpc.ws-origins'],
    wsSubscriptionLimit: settings['json-rpc.ws-subscription-limit'],
    wsConnectionsByClient: settings['json-rpc.ws-connections-by-client'],
    wsMessagesByClient: settings['json-rpc.ws-messages-by-client'],
    rateLimit,
    rateLimitBurst: settings['json-rpc.rate-limit-burst'] || 2 * rateLimit,
    trustedProxies: settings['json-rpc.trusted-proxies'],
    restBodyLimit: settings['api.rpc-max-body-bytes'],
    restOrigins: settings['api.enabled-unsafe-cors'] ? ['*'] : settings['api.cors-allowed-origins'],
    vhosts: settings['json-rpc.vhosts'],
    restVhosts: settings['api.vhosts'],
    restMaxOpenConnections: settings['api.max-open-connections'],
    grpcMaxReceiveBytes: settings['grpc.max-recv-msg-size'],
    grpcMaxSendBytes: settings['grpc.max-send-msg-size'],
    grpcWeb: settings['grpc-web.enable'],
    openApi: settings['api.swagger'],
    page: settings['api.page'],
  }
}

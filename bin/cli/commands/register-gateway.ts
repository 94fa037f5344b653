/** `chain gateway`: a gateway alone. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, nodeFlags, queriesSecretOption, textOf, withSettings } from './flags.ts'

export const registerGateway = (program: Command): void => {
  const gateway = program
    .command('gateway')
    .description('run a gateway alone: JSON-RPC, REST and gRPC for an application elsewhere')
    .option('--application <address>', 'the stream of an application: unix:///path or tcp://host:port')
    .addOption(queriesSecretOption())
    .addOption(homeOption())
  withSettings(gateway).action(async (flags: Flags) => {
    const { gatewayCommand } = await import('./gateway.ts')
    const { readSecret } = await import('../../node/read-secret.ts')
    const application = textOf(flags, 'application')
    const home = homeOf(flags)
    const secret = readSecret(textOf(flags, 'queriesSecretFile'))
    await gatewayCommand({
      ...{ home, application: application ?? home.queriesSocket, flags: nodeFlags(flags) },
      ...(secret === undefined ? {} : { secret }),
    })
  })
}

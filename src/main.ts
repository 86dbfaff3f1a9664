/** The entry point: picks the command, and loads no other. */
const [name, ...rest] = process.argv.slice(2)

if (name === 'embedder-process') {
  const { runEmbedderProcess } = await import('./embedder-process.ts')
  await runEmbedderProcess(rest)
} else if (name === 'unpack') {
  const { runUnpacking } = await import('./platform/native/parts.ts')
  runUnpacking(rest)
} else if (name === 'database-check') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runDatabaseCheck } = await import('./platform/db/damage.ts')
  runDatabaseCheck(rest)
} else if (name === 'database-migration') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runMigration } = await import('./platform/db/migrating.ts')
  runMigration(rest)
} else if (name === 'database-back') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runGoingBack } = await import('./commands/service/way-back.ts')
  runGoingBack(rest)
} else if (name === 'backup-process') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runBackup } = await import('./platform/backup/apart.ts')
  await runBackup(rest)
} else if (name === 'model-process') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runModelProcess } = await import('./commands/model-proof/process.ts')
  await runModelProcess(rest)
} else if (name === 'copy-process') {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { runCopy } = await import('./platform/backup/copies/apart.ts')
  await runCopy(rest)
} else {
  const { endWhenUncaught } = await import('./commands/service/uncaught.ts')
  endWhenUncaught()
  const { useUnitSettings } = await import('./commands/cli/unit-file.ts')
  // Before the commands: with them native libraries load, whose folder is a setting.
  const hint = useUnitSettings(process.argv.slice(2), process.env)
  const { runCommand } = await import('./commands/cli/run.ts')
  process.exitCode = await runCommand(process.argv.slice(2), process.env, hint)
}

import { expect, test } from 'bun:test'
import { ownCommand, ownEnvironment } from '../../../src/platform/native/own-command.ts'

test('from sources the program is started by this Bun with the main file before the arguments', () => {
  const [runtime, main, ...args] = ownCommand('embedder-process', 'search')
  expect(runtime).toBe(process.execPath)
  expect(main).toEndWith('/src/main.ts')
  expect(args).toEqual(['embedder-process', 'search'])
})

test('from sources a child process needs no variable to find its libraries', () => {
  expect(ownEnvironment()).toEqual({})
})

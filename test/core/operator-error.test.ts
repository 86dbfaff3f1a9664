import { expect, test } from 'bun:test'
import { OperatorError, wrongInput, wrongSettings, wrongUsage } from '../../src/core/operator-error.ts'

test('each kind of failure has its exit code', () => {
  expect(new OperatorError('no').exitCode).toBe(1)
  expect(wrongInput('no').exitCode).toBe(2)
  expect(wrongUsage('no').exitCode).toBe(2)
  expect(wrongSettings(['A is bad', 'B is worse'])).toMatchObject({
    message: 'Bad settings:\n  A is bad\n  B is worse',
    exitCode: 2,
  })
})

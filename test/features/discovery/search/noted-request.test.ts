import { expect, test } from 'bun:test'
import { noteRequest } from '../../../../src/features/discovery/search/noted-request.ts'

test('what the check of a body fills in was named by nobody, so a replay may try another value', () => {
  const filled = { rules: true, interpret: true }
  expect(noteRequest(filled)).toEqual({})
  expect(noteRequest({ ...filled, rules: false, threshold: 0 })).toEqual({
    asked: { threshold: 0, rules: false },
  })
})

import { test } from 'bun:test'
import { testApp } from './support/app.ts'
import { eagerDatabase } from './support/database.ts'

test('every statement of the program compiles when the program starts', async () => {
  const app = testApp({ db: eagerDatabase() })
  await app.close()
})

import { adminTests } from './admin.ts'
import { overviewTests } from './overview.ts'
import { playgroundTests } from './playground.ts'
import { productTests } from './products.ts'
import { signingInTests } from './signing-in.ts'
import { storeTests } from './stores.ts'

// One file, so that all pages share one service and one browser.
signingInTests()
storeTests()
productTests()
overviewTests()
playgroundTests()
adminTests()

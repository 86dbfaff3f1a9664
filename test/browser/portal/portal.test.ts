import { analyticsTests } from './analytics.ts'
import { overviewTests } from './overview.ts'
import { playgroundTests } from './playground.ts'
import { productTests } from './products.ts'
import { signingInTests } from './signing-in.ts'
import { storeTests } from './stores.ts'
import { widgetTests } from './widget.ts'

// One file, so that all pages share one service and one browser.
signingInTests()
storeTests()
productTests()
overviewTests()
playgroundTests()
widgetTests()
analyticsTests()

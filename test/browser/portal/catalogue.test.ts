import { analyticsTests } from './analytics.ts'
import { importTests } from './importing.ts'
import { overviewTests } from './overview.ts'
import { playgroundTests } from './playground.ts'
import { productTests } from './products.ts'
import { reportTests } from './report.ts'
import { widgetTests } from './widget.ts'

// One file, so that these pages share one service and one browser; the other half runs beside it.
productTests()
overviewTests()
playgroundTests()
importTests()
reportTests()
widgetTests()
analyticsTests()

import { render } from 'preact'
import { language } from './language.ts'
import { App } from './shell/app.tsx'
import { followLinks } from './shell/routes.ts'

document.documentElement.lang = language
followLinks()
const root = document.getElementById('portal')
if (root) render(<App />, root)

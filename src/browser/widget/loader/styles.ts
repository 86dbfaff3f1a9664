/** Styles that the button and the drop area need. Custom properties and parts are the API of themes. */
export const BASE = `
:host,:where(.open,.drop,.note){all:initial;visibility:inherit}
:host{display:inline-block;vertical-align:middle;
--a:var(--service-accent,#0b6e5f);--at:var(--service-accent-text,#fff);
--r:var(--service-radius,10px);--f:var(--service-font,system-ui,sans-serif);--s:var(--service-font-size,16px);
color-scheme:light}
:host([hidden]),[hidden]{display:none!important}
:host([data-attached]),:host([data-bare]:not([data-mode=inline])){position:absolute;top:0;left:0}
:host([data-mode=inline]){display:block}
:host([data-bare]) .open{display:none}
button{cursor:pointer;font:inherit;color:inherit}
:focus-visible{outline:3px solid var(--a);outline-offset:2px}
svg{inline-size:1.4em;block-size:1.4em;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linejoin:round;flex:none}
.open{display:inline-flex;align-items:center;gap:.5em;min-block-size:44px;padding:.4em 1em;
font:500 var(--s)/1.2 var(--f);color:var(--at);background:var(--a);border:1px solid transparent;border-radius:var(--r)}
.open:hover{filter:brightness(1.1)}
.open[aria-busy=true]{opacity:.7;cursor:progress}
:host([data-attached]) .open{inline-size:44px;padding:0;justify-content:center;color:var(--a);background:none;border:0}
.drop,.note{position:fixed;inset:0;inline-size:auto;block-size:auto;margin:12px;display:grid;place-items:center;
font:600 24px/1.3 var(--f);color:var(--at);background:color-mix(in srgb,var(--a) 92%,transparent);
border:3px dashed var(--at);border-radius:var(--r);pointer-events:none;visibility:visible}
.note{inset-block-start:auto;padding:1em;font-size:var(--s)}
@media(forced-colors:active){.open{border-color:ButtonText}}
`

const DARK =
  ':host{--a:var(--service-accent,#5fd3bd);--at:var(--service-accent-text,#06231e);color-scheme:dark}'

/** @param dark the rules of the dark theme. @returns the rules of a theme, on top of the light ones. */
export const theme = (name: 'auto' | 'light' | 'dark', dark = DARK): string =>
  name === 'light' ? '' : name === 'dark' ? dark : `@media(prefers-color-scheme:dark){${dark}}`

/** Styles of the buttons on the shop's own pictures, which stand in the page itself. */
export const SIMILAR = `
.service-similar{all:unset;position:absolute;top:0;left:0;inline-size:44px;block-size:44px;display:grid;place-items:center;
box-sizing:border-box;border:4px solid transparent;background:#fff padding-box;color:#1c1c1c;border-radius:50%;cursor:pointer;z-index:1;
box-shadow:inset 0 0 0 1px #767676}
.service-similar:focus-visible{outline:3px solid var(--service-accent,#0b6e5f)}
.service-similar svg{inline-size:20px;block-size:20px;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linejoin:round}
`

/** Styles of the dialog. Lengths are relative, so that 200 % text size and 320 px lose nothing. */
export const STYLES = `
:host{--bg:var(--service-background,#fff);--t:var(--service-text,#1c1c1c);--m:var(--service-muted,#595959);--b:var(--service-border,#8a8a8a)}
:where(.panel){all:initial}
.panel{visibility:visible;font:var(--s)/1.5 var(--f);color:var(--t);background:var(--bg);box-sizing:border-box;-webkit-text-size-adjust:100%;text-size-adjust:100%}
.panel *{box-sizing:border-box}
input{font:inherit;color:inherit}.panel :is(button,input){letter-spacing:inherit}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
dialog{display:none;position:fixed;inset:0;inline-size:min(1080px,100vw);block-size:fit-content;min-block-size:min(24em,100dvh);
margin:2em auto auto;border:1px solid var(--b);border-radius:var(--r);overscroll-behavior:contain;overflow:auto;scroll-padding-block-start:5em}
dialog[open]{display:block;max-block-size:calc(100dvh - 4em)}
dialog::backdrop{background:rgb(0 0 0/.55)}
@media(max-width:720px){dialog[open]{inline-size:100vw;block-size:100dvh;max-block-size:none;margin:0;border:0;border-radius:0}}
.inline{border:1px solid var(--b);border-radius:var(--r)}
.wrap{container:panel/inline-size}
.in{display:flex;flex-direction:column;gap:1em;padding:0 1em 1.25em}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.5em;margin:0 -1em;position:sticky;inset-block-start:0;z-index:3;
padding:.5em 1em;background:var(--bg);border-block-end:1px solid color-mix(in srgb,var(--b) 45%,transparent)}
.inline .head{position:static}
h2{font-size:1.2em;line-height:1.3;margin:0;flex:1 1 0;min-inline-size:0}
h3{font-size:1em;margin:.25em 0 .75em}
p{margin:0}
.hint,.privacy,.price del,.sold{color:var(--m);font-size:.875em}
.plain,.chip,.close,.tool{min-block-size:44px;padding:.4em .9em;color:inherit;background:none;border:1px solid var(--b);border-radius:var(--r)}
:is(.plain,.chip,.close,.tool):hover{background:color-mix(in srgb,var(--t) 8%,transparent)}
.plain,.tool,.go{display:inline-flex;align-items:center;justify-content:center;gap:.45em}
.close{border-color:transparent;min-inline-size:44px;padding:0;display:grid;place-items:center;margin-inline-end:-.5em}
.tool{min-inline-size:44px;padding:0 .6em}
.tool.cropping{padding-inline-start:0;overflow:clip}
.tool[aria-expanded=true]{border-color:var(--a);box-shadow:inset 0 0 0 1px var(--a);background:color-mix(in srgb,var(--a) 12%,transparent)}
.thumb{inline-size:50px;block-size:50px;display:block}
.thumb[hidden]~svg{margin-inline-start:.6em}
form{display:flex;gap:.5em;position:relative;flex:1 0 100%;margin:0}
input[type=text]{flex:1;min-inline-size:0;min-block-size:44px;margin:0;padding:.4em .8em;color:inherit;background:var(--bg);
border:1px solid var(--b);border-radius:var(--r);appearance:none}
::placeholder{color:var(--m);opacity:1}
input:placeholder-shown{text-overflow:ellipsis}
.go{min-block-size:44px;padding:.4em 1.1em;color:var(--at);background:var(--a);border:1px solid transparent;border-radius:var(--r);font-weight:500}
.go:hover{filter:brightness(1.1)}
.go svg,.empty .tool{display:none}
.start{display:flex;flex-direction:column;gap:1em}
.ways{display:flex;flex-wrap:wrap;align-items:center;gap:.5em}
.empty .ways{flex-direction:column;padding:1.75em 1em;border:2px dashed var(--b);border-radius:var(--r);text-align:center}
.ways .hint{inline-size:100%}
.filled .ways .hint,.filled:not(.choosing) .start{display:none}
.buttons{display:flex;flex-wrap:wrap;gap:.5em;justify-content:center}
details summary{cursor:pointer;min-block-size:24px}
.privacy details p{margin-block-start:.35em}
.privacy summary{display:inline-block;text-decoration:underline;text-underline-offset:.15em}
.filled{gap:.75em}
.filled .close{order:1}
.filled form{flex:1 1 7em;min-inline-size:0}
.main{display:grid;gap:1.25em;align-items:start}
.side{display:flex;flex-direction:column;gap:.75em;min-inline-size:0}
.side:empty{display:none}
@container panel (max-width:47.49em){
.filled .head{min-block-size:72px;padding-block:.4em}
.filled h2,.filled .go .label{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.filled .go{position:absolute;inset-block:0;inset-inline-end:0;inline-size:44px;padding:0;color:inherit;background:none}
.filled .go svg{display:block}
.filled input{padding-inline-end:44px}
.with form:not(:focus-within) input:placeholder-shown{padding-inline-end:.4em}
.with form:not(:focus-within) input:placeholder-shown~.go{opacity:0;pointer-events:none}
.in:not(.cropping) .side{display:none}
.cropping .main{gap:.75em}
.filled .plain{font-size:.875em;padding-inline:.7em}
.canvas canvas{max-block-size:min(26vh,220px)}
.crop .hint{text-align:center}.picture{margin-block:10px 22px}}
@container panel (max-width:34.99em){
.tool .label{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}}
@container panel (min-width:20em) and (max-width:34.99em){
.bar .chips{flex:0 0 calc(100% + 2em);flex-wrap:nowrap;margin:-6px -1em;padding:6px 1em;overflow:auto hidden;scrollbar-width:thin}
.bar .chips>*{flex:none}}
@media(pointer:coarse){input{font-size:max(16px,1em)}.bar .chips{scrollbar-width:none}}
@container panel (min-width:47.5em){.filled h2{flex:0 1 auto}.tool.cropping{display:none}
.with .main{grid-template-columns:minmax(220px,300px) minmax(0,1fr)}
.with .side{position:sticky;inset-block-start:5em}}
.crop{display:flex;flex-direction:column;gap:.5em;align-items:center}
.picture{position:relative;margin:22px;inline-size:fit-content;max-inline-size:calc(100% - 44px);direction:ltr;touch-action:pinch-zoom}
.canvas{display:grid}
.canvas canvas{display:block;max-inline-size:100%;max-block-size:min(40vh,360px);min-inline-size:44px;min-block-size:44px;inline-size:auto;block-size:auto;border-radius:4px;background:#fff}
.shade{position:absolute;inset:0;background:rgb(0 0 0/.5);pointer-events:none;border-radius:4px}
.whole .shade{display:none}
.frame{position:absolute;left:0;top:0;width:100%;height:100%;border:2px solid #fff;box-shadow:0 0 0 1px #000,inset 0 0 0 1px #000;cursor:move;touch-action:none}
.frame:focus-visible{outline-offset:4px}
.handle{position:absolute;width:44px;height:44px;margin:-22px;touch-action:none}
.handle::after{content:"";position:absolute;inset:15px;background:#fff;border:1px solid #000;border-radius:50%}
.h0,.h6,.h7{left:0}.h1,.h5{left:50%}.h2,.h3,.h4{left:100%}
.h0,.h1,.h2{top:0}.h3,.h7{top:50%}.h4,.h5,.h6{top:100%}
.h0,.h4{cursor:nwse-resize}.h2,.h6{cursor:nesw-resize}.h1,.h5{cursor:ns-resize}.h3,.h7{cursor:ew-resize}
.dot{position:absolute;width:44px;height:44px;margin:-22px;display:grid;place-items:center;isolation:isolate;cursor:pointer;color:#000;font-size:.75em}
.dot::before{content:"";position:absolute;inset:11px;z-index:-1;background:#fff;border:1px solid #000;border-radius:50%;opacity:.9}
.dot:hover::before{opacity:1;inset:9px}
.chips{display:flex;flex-wrap:wrap;align-items:center;gap:.4em;min-inline-size:0}
.side .chips{justify-content:center}
.chip{border-radius:999px;font-size:.875em}
.chip[aria-pressed=true]{border-color:var(--a);box-shadow:inset 0 0 0 1px var(--a);font-weight:600}
.chip[aria-pressed=true] .x::after{content:" ✕"}
.results{display:flex;flex-direction:column;gap:.75em;min-inline-size:0;position:relative}
.results:focus-visible{outline:0}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.4em 1em}
.headline{font-weight:600;line-height:1.35}
.headline:empty,.chips:empty,.notice:empty,.out:empty,.bar:has(>:empty+:empty){display:none}
.notice{display:flex;flex-wrap:wrap;gap:.75em;align-items:center}
.grid,.row{list-style:none;margin:0;padding:0;display:grid;gap:var(--service-gap,1rem)}
.grid{grid-template-columns:repeat(var(--service-columns,2),minmax(0,1fr))}
@container panel (min-width:560px){.grid{grid-template-columns:repeat(var(--service-columns,3),minmax(0,1fr))}}
@container panel (min-width:960px){.grid{grid-template-columns:repeat(var(--service-columns,4),minmax(0,1fr))}
.with .grid{grid-template-columns:repeat(var(--service-columns,3),minmax(0,1fr))}}
.card{display:flex;flex-direction:column;gap:.2em;inline-size:100%;padding:0;text-align:start;color:inherit;text-decoration:none;background:none;border:0;border-radius:var(--r)}
.ratio{display:block;aspect-ratio:var(--service-card-ratio,1);background:color-mix(in srgb,var(--t) 9%,transparent);border-radius:var(--r);overflow:hidden}
.ratio img{inline-size:100%;block-size:100%;object-fit:cover;display:block}
.card .ratio{margin-block-end:.35em}
.name{overflow-wrap:anywhere;unicode-bidi:plaintext;text-align:left}[dir=rtl] .name{text-align:right}
.card:hover .name{text-decoration:underline;text-underline-offset:.15em}
.price>*{unicode-bidi:isolate}
.groups{display:flex;flex-direction:column;gap:.5em;margin-block-start:.5em}
.bar .headline{padding-inline-end:3.5em}.facets:not([open]){margin-block-end:-.75em}
.results>.facets{margin-block-start:0}.results .facets summary{position:absolute;inset-block-start:-3px;inset-inline-end:0;min-block-size:30px;padding:0 .6em;font-weight:400;list-style:none}
summary::-webkit-details-marker{display:none}
@container panel (min-width:35em){.bar{padding-inline-end:9em}.bar .headline{padding:0}}
select{min-block-size:44px;max-inline-size:100%;padding:.4em;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--b);border-radius:var(--r)}
.count{color:var(--m);font-weight:400}
section.panel{display:block}.panel>h2{margin-block-end:.4em}
.row{grid-auto-flow:column;grid-auto-columns:minmax(9em,1fr);padding:4px;overflow-x:auto;position:relative}
.row .card{max-inline-size:16em}
.results .plain[part=more]{margin-block-start:1em}
.skeleton .ratio{animation:pulse 1.2s ease-in-out infinite alternate}
@keyframes pulse{to{opacity:.45}}
@media(prefers-reduced-motion:reduce){*,::after{animation:none!important;transition:none!important}}
@media(forced-colors:active){.go,.chip[aria-pressed=true],.tool[aria-expanded=true]{border-color:Highlight}.ratio{border:1px solid CanvasText}.handle::after{background:Highlight}}
.dragging .ways{border-color:var(--a);background:color-mix(in srgb,var(--a) 12%,transparent)}
.dragging .filled{box-shadow:inset 0 0 0 3px var(--a)}
`

export const DARK =
  ':host{--bg:var(--service-background,#16191b);--t:var(--service-text,#f1f1f1);--m:var(--service-muted,#b3b3b3);--b:var(--service-border,#7d8589)}'

/** Styles of the list of suggestions, which stands beside its field in the shop's page. */
export const LIST = `
.service-list,.service-list *{all:unset;display:block;box-sizing:border-box}
.service-list{position:fixed;z-index:9;max-block-size:60vh;overflow:auto;font:16px/1.4 var(--service-font,system-ui,sans-serif);
color:var(--service-text,#1c1c1c);background:var(--service-background,#fff);border:1px solid var(--service-border,#8a8a8a);border-radius:var(--service-radius,10px)}
[aria-autocomplete][role=combobox]::-webkit-search-cancel-button{display:none}
.service-list [role=option]{display:flex;align-items:center;gap:.6em;min-block-size:44px;padding:2px .6em;cursor:pointer}
.service-list [role=option]:is(:hover,[aria-selected=true]){background:color-mix(in srgb,currentColor 12%,transparent)}
.service-list [aria-selected=true]{outline:2px solid var(--service-accent,#0b6e5f);outline-offset:-2px}
.service-list :is(img,span:empty){inline-size:40px;block-size:40px;object-fit:cover;border-radius:4px}
`

export const LIST_DARK =
  '.service-list{color:var(--service-text,#f1f1f1);background:var(--service-background,#16191b)}'

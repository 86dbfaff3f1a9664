/** Styles of the dialog. Lengths are relative, so that 200 % text size and 320 px lose nothing. */
export const STYLES = `
:host{--bg:var(--service-background,#fff);--t:var(--service-text,#1c1c1c);--m:var(--service-muted,#595959);--b:var(--service-border,#8a8a8a)}
input{font:inherit;color:inherit;letter-spacing:inherit}
.panel{visibility:visible;font:var(--s)/1.5 var(--f);color:var(--t);background:var(--bg);box-sizing:border-box}
.panel *{box-sizing:border-box}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
dialog{inline-size:min(1080px,100vw);max-inline-size:none;block-size:fit-content;max-block-size:none;min-block-size:min(24rem,100dvh);
margin:auto;padding:0;border:1px solid var(--b);border-radius:var(--r);overscroll-behavior:contain;overflow:auto}
dialog[open]{max-block-size:calc(100dvh - 4rem)}
dialog::backdrop{background:rgb(0 0 0/.55)}
@media(max-width:720px){dialog[open]{inline-size:100vw;block-size:100dvh;max-block-size:none;border:0;border-radius:0}}
.inline{border:1px solid var(--b);border-radius:var(--r)}
.in{display:flex;flex-direction:column;gap:1rem;padding:0 1rem 1.25rem}
.head{display:flex;align-items:center;gap:.5rem;margin:0 -1rem;padding:.5rem .5rem .5rem 1rem;position:sticky;inset-block-start:0;z-index:3;
padding-inline:1rem .5rem;background:var(--bg);border-block-end:1px solid color-mix(in srgb,var(--b) 45%,transparent)}
h2{font-size:1.2em;line-height:1.3;margin:0;flex:1}
h3{font-size:1em;margin:.25rem 0 .75rem}
p{margin:0}
.hint,.privacy{color:var(--m);font-size:.875em}
.plain,.chip,.close{min-block-size:44px;padding:.4em .9em;color:inherit;background:none;border:1px solid var(--b);border-radius:var(--r)}
.plain:hover,.chip:hover,.close:hover{background:color-mix(in srgb,var(--t) 8%,transparent)}
.plain{display:inline-flex;align-items:center;justify-content:center;gap:.45em}
.close{border-color:transparent;min-inline-size:44px;padding:0;display:grid;place-items:center}
form{display:flex;gap:.5rem}
input[type=text]{flex:1;min-inline-size:0;min-block-size:44px;margin:0;padding:.4em .8em;color:inherit;background:var(--bg);
border:1px solid var(--b);border-radius:var(--r);appearance:none}
::placeholder{color:var(--m);opacity:1}
input:placeholder-shown{text-overflow:ellipsis}
.go{min-block-size:44px;padding:.4em 1.1em;color:var(--at);background:var(--a);border:1px solid transparent;border-radius:var(--r);font-weight:500}
.go:hover{filter:brightness(1.1)}
.ways{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
.empty .ways{flex-direction:column;padding:1.75rem 1rem;border:2px dashed var(--b);border-radius:var(--r);text-align:center}
.ways .hint{inline-size:100%}
.filled .ways .hint,.filled .privacy{display:none}
.buttons{display:flex;flex-wrap:wrap;gap:.5rem;justify-content:center}
details summary{cursor:pointer;min-block-size:24px}
.privacy details p{margin-block-start:.35rem}
.privacy summary{display:inline-block;text-decoration:underline;text-underline-offset:.15em}
.main{display:grid;gap:1.25rem;align-items:start}
.side{display:flex;flex-direction:column;gap:.75rem;min-inline-size:0}
.side:empty{display:none}
@container panel (max-width:759px){.filled .plain{font-size:.875em;padding-inline:.7em}.filled canvas{max-block-size:min(26vh,220px)}
.crop .hint{text-align:center}.picture{margin-block:8px 22px}}
@container panel (min-width:760px){.with .main{grid-template-columns:minmax(220px,300px) minmax(0,1fr)}
.with .side{position:sticky;inset-block-start:5rem}}
.crop{display:flex;flex-direction:column;gap:.5rem;align-items:center}
.picture{position:relative;margin:22px;inline-size:fit-content;max-inline-size:calc(100% - 44px);direction:ltr;touch-action:pinch-zoom}
.canvas{display:grid}
canvas{display:block;max-inline-size:100%;max-block-size:min(40vh,360px);min-inline-size:44px;min-block-size:44px;inline-size:auto;block-size:auto;border-radius:4px;background:#fff}
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
.chips{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem}
.side .chips{justify-content:center}
.chip{border-radius:999px;font-size:.875em}
.chip[aria-pressed=true]{border-color:var(--a);box-shadow:inset 0 0 0 1px var(--a);font-weight:600}
.chip[aria-pressed=true] .x::after{content:" ✕"}
.results{display:flex;flex-direction:column;gap:1rem;min-inline-size:0}
.headline{font-weight:600}
.headline:empty,.chips:empty,.notice:empty,.out:empty{display:none}
.notice{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.grid{list-style:none;margin:0;padding:0;display:grid;gap:var(--service-gap,1rem);
grid-template-columns:repeat(var(--service-columns,2),minmax(0,1fr))}
.wrap{container:panel/inline-size}
@container panel (min-width:560px){.grid{grid-template-columns:repeat(var(--service-columns,3),minmax(0,1fr))}}
@container panel (min-width:960px){.grid{grid-template-columns:repeat(var(--service-columns,4),minmax(0,1fr))}
.with .grid{grid-template-columns:repeat(var(--service-columns,3),minmax(0,1fr))}}
.card{display:flex;flex-direction:column;gap:.2rem;inline-size:100%;padding:0;text-align:start;color:inherit;text-decoration:none;background:none;border:0;border-radius:var(--r)}
.ratio{display:block;aspect-ratio:var(--service-card-ratio,1);background:color-mix(in srgb,var(--t) 9%,transparent);border-radius:var(--r);overflow:hidden}
.ratio img{inline-size:100%;block-size:100%;object-fit:cover;display:block}
.card .ratio{margin-block-end:.35rem}
.name{overflow-wrap:anywhere}
.card:hover .name{text-decoration:underline;text-underline-offset:.15em}
.price{color:var(--t)}
.price del{color:var(--m);font-size:.875em}
.sold{color:var(--m);font-size:.875em}
.results details{margin-block-start:1.25rem}
.results summary{padding-block:.6rem;font-weight:600}
.results .plain[part=more]{margin-block-start:1rem}
.skeleton .ratio{animation:pulse 1.2s ease-in-out infinite alternate}
@keyframes pulse{to{opacity:.45}}
@media(prefers-reduced-motion:reduce){*,::after{animation:none!important;transition:none!important}}
@media(forced-colors:active){.go,.chip[aria-pressed=true]{border-color:Highlight}.ratio{border:1px solid CanvasText}.handle::after{background:Highlight}}
.dragging .ways{border-color:var(--a);background:color-mix(in srgb,var(--a) 12%,transparent)}
`

export const DARK =
  ':host{--bg:var(--service-background,#16191b);--t:var(--service-text,#f1f1f1);--m:var(--service-muted,#b3b3b3);--b:var(--service-border,#7d8589)}'

// Keeps calls until the widget has loaded. A shop that asks for consent calls ServiceWidget.consent(true) after this, too.
window.ServiceWidget = window.ServiceWidget || {
  q: [],
  consent(...call) {
    this.q.push(['consent', ...call])
  },
  open(...call) {
    this.q.push(['open', ...call])
  },
  trackAddToCart(...call) {
    this.q.push(['trackAddToCart', ...call])
  },
  trackPurchase(...call) {
    this.q.push(['trackPurchase', ...call])
  },
}

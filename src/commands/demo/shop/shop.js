// Tells the service what goes into the cart. Until the widget has loaded, the stub keeps it.
for (const button of document.querySelectorAll('.cart')) {
  button.addEventListener('click', () => {
    window.ServiceWidget.trackAddToCart(button.closest('[data-product-id]').dataset.productId)
    button.textContent = 'In the cart'
  })
}

// This shop has no page for results: the widget shows them.
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  window.ServiceWidget.open({ query: event.target.elements.q.value })
})

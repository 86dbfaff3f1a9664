// Tells the service what goes into the cart. Until the widget has loaded, the stub keeps it.
for (const button of document.querySelectorAll('[data-product-id] button')) {
  button.addEventListener('click', () => {
    window.ServiceWidget.trackAddToCart(button.parentElement.dataset.productId)
    button.textContent = 'In the cart'
  })
}

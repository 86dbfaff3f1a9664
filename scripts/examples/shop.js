// Tells the service what goes into the cart. The widget may not have loaded yet: then nobody came from a search.
for (const button of document.querySelectorAll('[data-product-id] button')) {
  button.addEventListener('click', () => {
    window.ServiceWidget?.trackAddToCart?.(button.parentElement.dataset.productId)
    button.textContent = 'In the cart'
  })
}

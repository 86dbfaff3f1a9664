// The block in the editor: what it will be, and two fields. The shop's page renders it on the server.
;(({ blocks, element, blockEditor, components, i18n }) => {
  const { createElement: h, Fragment } = element
  const { __ } = i18n
  const field = (label, name, { attributes, setAttributes }) =>
    h(components.TextControl, {
      label,
      value: attributes[name],
      onChange: (value) => setAttributes({ [name]: value }),
      help: __('The SKU or the ID of a product; "this" is the product of the page.', 'lookalike'),
    })
  blocks.registerBlockType('lookalike/search', {
    edit(props) {
      const { similarTo, together } = props.attributes
      const text = similarTo
        ? __('Similar products', 'lookalike')
        : together
          ? __('Taken together', 'lookalike')
          : __('Search by picture and by words', 'lookalike')
      return h(
        Fragment,
        null,
        h(
          blockEditor.InspectorControls,
          null,
          h(
            components.PanelBody,
            { title: __('In place of the search', 'lookalike') },
            field(__('Similar to', 'lookalike'), 'similarTo', props),
            field(__('Taken together with', 'lookalike'), 'together', props),
          ),
        ),
        h(
          'div',
          blockEditor.useBlockProps(),
          h(components.Placeholder, { icon: 'camera', label: 'Lookalike', instructions: text }),
        ),
      )
    },
    save: () => null,
  })
})(window.wp)

import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ConfirmDialog, Dialog } from './dialog.tsx'

function Page({ open }: { open: readonly string[] }) {
  return (
    <>
      <p>La página</p>
      {['Una', 'Otra'].map((question) => (
        <ConfirmDialog
          key={question}
          open={open.includes(question)}
          question={question}
          detail=""
          confirm={null}
          onClose={() => undefined}
        />
      ))}
    </>
  )
}

const read = () => ({
  page: screen.getByText('La página').closest('[aria-hidden]') === null,
  dialogs: screen.queryAllByRole('alertdialog').map((dialog) => dialog.textContent),
})

describe('dialogs', () => {
  it('leave no second copy of their words in the page while they are closed', () => {
    const form = (open: boolean) => (
      <Dialog open={open} title="Nueva Actividad" onClose={() => undefined}>
        Título
      </Dialog>
    )
    const { rerender } = render(form(false))
    expect(document.body).not.toHaveTextContent('Nueva Actividad')
    rerender(form(true))
    expect(document.body).toHaveTextContent('Nueva Actividad')
    rerender(form(false))
    expect(document.body).not.toHaveTextContent('Nueva Actividad')
  })

  it('leave only the one on top to assistive technology, whichever of them goes first', () => {
    const { rerender } = render(<Page open={['Una']} />)
    expect(read()).toEqual({ page: false, dialogs: ['UnaCancelar'] })
    rerender(<Page open={['Una', 'Otra']} />)
    expect(read()).toEqual({ page: false, dialogs: ['OtraCancelar'] })
    rerender(<Page open={['Otra']} />)
    expect(read()).toEqual({ page: false, dialogs: ['OtraCancelar'] })
    rerender(<Page open={[]} />)
    expect(read()).toEqual({ page: true, dialogs: [] })
  })
})

import { act, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { ConfirmDialog, Dialog } from './dialog.tsx'
import { Rehearsal } from './rehearsal.tsx'

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
  it('are rehearsed in idle moments, behind the back of the page', async () => {
    const waiting: IdleRequestCallback[] = []
    vi.stubGlobal('requestIdleCallback', (run: IdleRequestCallback) => waiting.push(run))
    vi.stubGlobal('cancelIdleCallback', () => undefined)
    const append = vi.spyOn(document.body, 'append')
    render(
      <>
        <input aria-label="La página" />
        <Rehearsal paused={false}>
          <Dialog open title="Nueva Actividad" onClose={() => undefined}>
            <input aria-label="Título" />
          </Dialog>
        </Rehearsal>
      </>,
    )
    screen.getByLabelText('La página').focus()
    for (let run = waiting.pop(); run; run = waiting.pop()) {
      const idle = run
      await act(async () => idle({ didTimeout: false, timeRemaining: () => 50 }))
      expect(screen.queryByRole('dialog', { hidden: true })).not.toBeInTheDocument()
      expect(screen.getByRole('textbox', { name: 'La página' })).toHaveFocus()
    }
    await act(() => new Promise((done) => setTimeout(done)))
    expect(screen.getByRole('textbox', { name: 'La página' })).toHaveFocus()
    expect(append.mock.calls.length).toBeGreaterThan(0)
    expect(append.mock.calls.flat()).toSatisfy((stages: HTMLElement[]) =>
      stages.every((stage) => stage.parentNode === null),
    )
  })

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

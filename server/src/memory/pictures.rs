//! Networks that look at pictures: what training them takes, from what one picture leaves behind in a forward pass.

use super::Bytes;
use super::step::Optimizer;
use super::weights::Dtype;

/// What a network keeps of each picture for the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pictures {
    /// Bytes of saved activations for one picture, in float32.
    pub activations: Bytes,
    /// The side in pixels of the pictures that this was counted for.
    pub side: u64,
}

/// One training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureStep {
    /// Pictures at once.
    pub batch: u64,
    /// Their side in pixels.
    pub side: u64,
    /// The type of the parameters.
    pub dtype: Dtype,
    /// The type that autocast computes in, where it is on.
    pub autocast: Option<Dtype>,
    /// The optimizer.
    pub optimizer: Optimizer,
}

/// What a step takes at its peak, which is where the backward pass starts, or where the optimizer steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PicturePeak {
    /// Gradients that are there then.
    pub gradients: Bytes,
    /// What the optimizer keeps.
    pub optimizer: Bytes,
    /// Saved activations and temporaries.
    pub activations: Bytes,
}

/// What the backward pass makes before it has let go of anything, in thousandths of the saved activations: the gradient
/// of the last block's output, counted on `ResNet` and VGG networks.
const FIRST_GRADIENT: u64 = 10;

impl Pictures {
    /// The peak of a step of a network with so many parameters. Activations grow with the area of the pictures.
    pub fn train(self, parameters: u64, step: PictureStep) -> PicturePeak {
        let weights = Bytes(parameters.saturating_mul(step.dtype.bits()) / 8);
        let computed = step.autocast.unwrap_or(step.dtype);
        let area = |bytes: u64| {
            let side = u128::from(step.side).pow(2) * u128::from(bytes) / u128::from(self.side.max(1)).pow(2);
            u64::try_from(side).unwrap_or(u64::MAX)
        };
        let saved = area(self.activations.0).saturating_mul(step.batch) / 32 * computed.bits();
        // Autocast computes with copies of the weights.
        let copies = if computed == step.dtype { 0 } else { parameters.saturating_mul(computed.bits()) / 8 };
        let forward = Bytes(saved.saturating_add(saved / 1000 * FIRST_GRADIENT).saturating_add(copies));
        let optimizer = step.optimizer.moments(weights);
        let temporary = step.optimizer.temporary(weights);
        if forward >= weights + temporary {
            return PicturePeak { gradients: Bytes(0), optimizer, activations: forward };
        }
        PicturePeak { gradients: weights, optimizer, activations: temporary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `torchvision.models.resnet50` needs beside its weights, at 224 pixels.
    fn resnet(batch: u64, autocast: Option<Dtype>) -> f64 {
        let pictures = Pictures { activations: Bytes(85_909_504), side: 224 };
        let step = PictureStep {
            batch,
            side: 224,
            dtype: Dtype::Float32,
            autocast,
            optimizer: Optimizer::SgdMomentum,
        };
        let peak = pictures.train(25_557_032, step);
        (peak.gradients + peak.optimizer + peak.activations).as_gib()
    }

    #[test]
    fn as_counted_tensor_by_tensor() {
        for (batch, autocast, counted) in
            [(64, None, 5.27), (256, None, 20.78), (128, Some(Dtype::BFloat16), 5.48)]
        {
            let ours = resnet(batch, autocast);
            assert!((ours / counted - 1.0).abs() < 0.05, "{batch}: {ours}");
        }
    }

    #[test]
    fn more_never_takes_less() {
        let sizes: Vec<f64> = [1, 2, 8, 64, 512].map(|batch| resnet(batch, None)).to_vec();
        assert!(sizes.is_sorted(), "{sizes:?}");
    }
}
